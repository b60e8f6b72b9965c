import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DocumentStore, DocumentWrite, StoredDocument } from '../../../shared/documents/document-store';
import { documentBytes } from '../../../shared/domain/records/document';
import { withMethods } from '../../support/overriding';
import type { TurnMeter } from './turn-meter';

/** What went between the service and its database, and between it and its buckets. */
export interface Traffic {
  documentsRead: number;
  bytesRead: number;
  documentsWritten: number;
  bytesWritten: number;
  /** Of a tenant's files. */
  bytesFetched: number;
  /** To reports of bad rows. */
  bytesReported: number;
}

export const noTraffic = (): Traffic => ({
  documentsRead: 0,
  bytesRead: 0,
  documentsWritten: 0,
  bytesWritten: 0,
  bytesFetched: 0,
  bytesReported: 0,
});

/**
 * Counts a store's documents and their bytes, and excuses its own work: it stands for a database elsewhere. A document
 * that was looked for and is not there counts as read, as Firestore bills it.
 */
export function meteredStore(store: DocumentStore, traffic: Traffic, meter: TurnMeter): DocumentStore {
  return withMethods(store, (method, name) => async (...call) => {
    const [argument] = call;
    const answered = meter.excuse(() => {
      if (name === 'commit' || name === 'writeEach') countWrites(argument as readonly DocumentWrite[], traffic);
      return method(...call);
    });
    const answer = await nextTurn(await answered); // it comes from elsewhere, and so later
    const isByPath = name === 'getAll' || name === 'getSome';
    if (isByPath) traffic.documentsRead += (argument as readonly string[]).length;
    if (isByPath || READS.has(name)) meter.excuse(() => countFound(answer, !isByPath, traffic));
    return answer;
  });
}

const READS: ReadonlySet<string> = new Set(['get', 'list', 'listRefs', 'listGroup', 'findWhere', 'findLastWhere']);

function countWrites(writes: readonly DocumentWrite[], traffic: Traffic): void {
  traffic.documentsWritten += writes.length;
  for (const write of writes) if ('set' in write) traffic.bytesWritten += documentBytes(write.data);
}

/** @param isCounted whether what is found tells how many were read, at least one */
function countFound(answer: unknown, isCounted: boolean, traffic: Traffic): void {
  const found = (answer as { documents?: unknown } | undefined)?.documents ?? answer;
  const documents = (Array.isArray(found) ? found : [found]).filter(Boolean) as Partial<StoredDocument>[];
  if (isCounted) traffic.documentsRead += Math.max(1, documents.length);
  for (const { data } of documents) traffic.bytesRead += documentBytes(data ?? {});
}
