import { fromKeyDocument } from '../auth/tenant-documents';
import type { DocumentStore } from '../documents/document-store';
import { apiKeyPath, idOf } from '../documents/paths';
import type { ApiKeyHash, Caller } from '../domain/api-key';
import { stepAt } from '../domain/usage';
import { MAX_USED_KEYS } from '../limits/usage';
import type { Deadline } from '../platform/deadline';

/**
 * The hours in which an instance has seen keys used, as far as the keys do not say so yet. The first instance that
 * stores one writes it into the key; the others find it there, or fail on its version. So a key is written once an hour
 * (R-182).
 */
export class KeyUses {
  private hours = new Map<ApiKeyHash, number>();

  /** @param key as it was read for the request */
  add({ hash, keyHash = hash, lastUsedAtMs = 0 }: Caller, nowMs: number): void {
    const hourMs = stepAt(nowMs, 'hour');
    if (keyHash === null || lastUsedAtMs >= hourMs) return;
    if (this.hours.size < MAX_USED_KEYS || this.hours.has(keyHash)) this.hours.set(keyHash, hourMs);
  }

  /** Stores them. What fails is lost, and noted again at the key's next request in the hour. */
  async store(store: DocumentStore, deadline: Deadline): Promise<void> {
    if (this.hours.size === 0) return;
    const { hours } = this;
    this.hours = new Map();
    const writes = (await store.getAll([...hours.keys()].map(apiKeyPath), deadline)).flatMap(
      ({ path, data, version }) => {
        const { hash, lastUsedAtMs = 0 } = fromKeyDocument(idOf(path), data);
        const hourMs = hours.get(hash) ?? 0;
        if (lastUsedAtMs >= hourMs) return [];
        const used = { lastUsedAt: new Date(hourMs) };
        return { set: path, data: used, fields: Object.keys(used), when: version };
      },
    );
    if (writes.length > 0) await store.writeEach(writes, deadline);
  }
}
