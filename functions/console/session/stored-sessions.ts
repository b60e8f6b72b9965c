import { consoleSessionPath } from '../../../shared/documents/paths';
import type { DocumentStore } from '../../../shared/documents/document-store';
import type { ApiKeyHash } from '../../../shared/domain/api-key';
import type { Clock } from '../../../shared/platform/clock';
import type { Deadline } from '../../../shared/platform/deadline';
import type { Random } from '../../../shared/platform/random';
import type { BegunSession, Session, Sessions } from './session';
import { newSession } from './session';

export interface StoredSession extends Session {
  readonly keyHash: ApiKeyHash;
}

/** Sessions of people who signed in with a key. The database has neither the session's secret nor the key. */
export class StoredSessions implements Sessions {
  constructor(private readonly dependencies: { store: DocumentStore; clock: Clock; random: Random }) {}

  /** A repeat begins another session. */
  async begin(keyHash: ApiKeyHash, deadline: Deadline): Promise<BegunSession> {
    const { store, clock } = this.dependencies;
    const session = newSession(this.dependencies);
    const data = { keyHash, createdAt: new Date(clock.nowMs()), expireAt: new Date(session.endsAtMs) };
    await store.commit([{ set: consoleSessionPath(session.hash), data }], deadline);
    return session;
  }

  async find(hash: ApiKeyHash, deadline: Deadline): Promise<StoredSession | undefined> {
    const { store, clock } = this.dependencies;
    const document = await store.get(consoleSessionPath(hash), deadline);
    if (!document) return undefined;
    const endsAtMs = (document.data.expireAt as Date).getTime();
    return clock.nowMs() < endsAtMs ? { keyHash: document.data.keyHash as ApiKeyHash, endsAtMs } : undefined;
  }

  async end(hash: ApiKeyHash, deadline: Deadline): Promise<void> {
    await this.dependencies.store.commit([{ delete: consoleSessionPath(hash) }], deadline);
  }
}
