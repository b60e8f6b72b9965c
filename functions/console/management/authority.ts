import { seal } from '../../../shared/audit/audit-log';
import { fromKeyDocument } from '../../../shared/auth/tenant-documents';
import type { DocumentStore } from '../../../shared/documents/document-store';
import { apiKeyPath } from '../../../shared/documents/paths';
import type { Caller } from '../../../shared/domain/api-key';
import { isValidKey } from '../../../shared/domain/api-key';
import type { Call } from '../../../shared/endpoint/route';
import type { KeyKeeper } from '../../../shared/operations/operator';
import type { Clock } from '../../../shared/platform/clock';
import type { Random } from '../../../shared/platform/random';
import { sessionEnded } from '../session/problems';

/** Whoever acts by a request below `/console/management`, with what their use cases need. */
export type KeeperOf = (caller: Caller, call: Call) => Promise<KeyKeeper>;

interface Dependencies {
  readonly store: DocumentStore;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Those who have signed in with a key act by it as it is stored now: a session's caller has the console's limit in
 * place of the key's own. The audit log names the key. @throws HttpProblem 401 when the key is not valid any more
 */
export function keyHolder({ store, clock, random }: Dependencies): KeeperOf {
  return async ({ hash, keyHash }, { deadline }) => {
    const ownHash = keyHash ?? hash;
    const document = await store.get(apiKeyPath(ownHash), deadline);
    const authority = document && fromKeyDocument(ownHash, document.data);
    if (!authority || !isValidKey(authority, clock.nowMs())) throw sessionEnded('key');
    const actor = { door: 'console', name: () => Promise.resolve(authority.keyId) } as const;
    const notice = () => undefined;
    return seal({ actor, store, clock, random, deadline: () => deadline, notice, authority });
  };
}
