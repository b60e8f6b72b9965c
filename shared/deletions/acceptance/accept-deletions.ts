/**
 * Accepts deletions. Acceptance decides which records a deletion targets, from what is stored at that moment (D-43).
 * Records that are written later are not among them. The commit writes an entry for each record
 * (`pending-deletions.ts`), so the deletion does not depend on its message.
 */
import type { Deadline } from '../../platform/deadline';
import type { DeletionRequested, DeletionTarget } from '../../domain/deletion';
import { toMatchable } from '../../domain/deletion';
import type { RecordKind } from '../../domain/identity';
import { DELETIONS_IN_EVENT } from '../../limits/deletions';
import type { Tenant } from '../../domain/tenant';
import { chunksOf } from '../../platform/chunks';
import { waitForAll } from '../../platform/async/in-parallel';
import { retryConflicts } from '../../workspace/retry-conflicts';
import type { AcceptanceDependencies } from './accept-context';
import type { Accepted } from './acceptance-attempts';
import { AcceptanceAttempts } from './acceptance-attempts';
import { requestDrainUnlessUnderWay } from '../drains';
import { toUnreadRemoval } from '../unread-removal';

/**
 * Accepts deletions of one kind in their order. Resolves when they are durable, in the database and as messages.
 * A deletion that no stored record can match writes nothing. After an error the deletions that were accepted are
 * applied, and repeating all of them is safe.
 * @param onAccepted called after each commit, with how many of the targets are durable by then, from the first on
 * @throws ContentionTimeout
 */
export async function acceptDeletions(
  tenant: Tenant,
  kind: RecordKind,
  targets: readonly DeletionTarget[],
  deadline: Deadline,
  dependencies: AcceptanceDependencies,
  onAccepted: (count: number) => void = () => undefined,
): Promise<void> {
  const matchable = targets.flatMap((sent, index) => {
    const target = toMatchable(sent);
    return target ? [{ target, index }] : [];
  });
  const written = new Set<string>();
  for (let rest = matchable; rest.length > 0;) {
    const waiting = rest.map(({ target }) => target);
    const acceptance = await acceptSome(tenant, kind, waiting, written, deadline, dependencies);
    await publish(tenant, kind, acceptance, dependencies);
    for (const id of acceptance.deletionIds) written.add(id);
    rest = rest.slice(acceptance.acceptedCount);
    onAccepted(rest[0]?.index ?? targets.length);
  }
}

async function publish(
  { tenantId }: Tenant,
  kind: RecordKind,
  accepted: Accepted,
  dependencies: AcceptanceDependencies,
): Promise<void> {
  const { publisher, deletionsTopic } = dependencies;
  const { deletionIds, repeatedIds = [], hasWide, version } = accepted;
  const removal = version && toUnreadRemoval(accepted, version);
  const toEvents = (ids: readonly string[], told: Pick<DeletionRequested, 'removal'>) =>
    chunksOf(ids, DELETIONS_IN_EVENT).map((some): DeletionRequested => ({ tenantId, deletionIds: some, ...told }));
  const events = [...toEvents(deletionIds, removal ? { removal } : {}), ...toEvents(repeatedIds, {})];
  await waitForAll([
    ...events.map((event) => publisher.publish(deletionsTopic, event)),
    ...(hasWide ? [requestDrainUnlessUnderWay({ tenantId, kind }, dependencies)] : []),
  ]);
}

/**
 * Accepts as many deletions as one commit takes, from the first on.
 * @param written ids of entries that the commits before have written
 * @throws ContentionTimeout
 */
async function acceptSome(
  tenant: Tenant,
  kind: RecordKind,
  targets: readonly DeletionTarget[],
  written: ReadonlySet<string>,
  deadline: Deadline,
  dependencies: AcceptanceDependencies,
): Promise<Accepted> {
  const attempts = new AcceptanceAttempts(tenant, kind, targets, written, deadline, dependencies);
  let accepted: Accepted | undefined;
  const attempt = async (open: readonly RecordKind[]) => {
    accepted = await attempts.next();
    return accepted ? [] : open;
  };
  await retryConflicts([kind], attempt, deadline, dependencies);
  if (!accepted) throw new Error('Deletions were accepted and are not known.');
  return accepted;
}
