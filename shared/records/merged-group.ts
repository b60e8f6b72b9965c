import type { DocumentChange, StoredDocument } from '../documents/document-store';
import { recordPath } from '../documents/paths';
import { documentBytes } from '../domain/records/document';
import type { RecordId } from '../domain/identity';
import type { MergeRules } from '../domain/records/merged-record';
import { MergedRecord } from '../domain/records/merged-record';
import type { EventLoopShare } from '../platform/async/event-loop-share';
import { runInShares } from '../platform/async/event-loop-share';
import type { ValidationErrors } from '../validation/validation-failed';
import { tooLarge } from '../workspace/size-checks';
import { joinDocument, splitDocument } from '../workspace/kept-tombstones';
import { fromDocument, toDocument } from '../workspace/record-documents';

/** A kind of record that holds parts, and how it is identified and merged. */
export interface MergeableKind<R extends object, Sent extends object, Part extends object, SentPart extends object> {
  readonly kind: 'products' | 'orders';
  readonly idOf: (sent: Sent) => RecordId;
  readonly rules: MergeRules<R, Sent, Part, SentPart>;
}

/** The elements of a batch that belong to one record, in array order. */
export interface RecordGroup<Sent> {
  readonly path: string;
  readonly elements: { readonly sent: Sent; readonly index: number }[];
}

/** A record into which the elements of a group were merged. */
export interface MergedGroup {
  readonly write: DocumentChange;
  /** Whether there was no record. */
  readonly isNew: boolean;
  /** Stored bytes of the record. */
  readonly bytes: number;
  /** The largest size that the record had after any of the elements. */
  readonly peakBytes: number;
  /** Why the record cannot be stored, at the element that made it too large; undefined: it fits. */
  readonly errors: ValidationErrors | undefined;
}

/** Groups the elements of a batch by record, in the order of each record's first element. */
export function groupByRecord<Sent extends object>(
  batch: readonly Sent[],
  { kind, idOf }: { readonly kind: 'products' | 'orders'; readonly idOf: (sent: Sent) => RecordId },
  tenantId: string,
): RecordGroup<Sent>[] {
  const groups = new Map<string, RecordGroup<Sent>>();
  batch.forEach((sent, index) => {
    const path = recordPath(tenantId, kind, idOf(sent));
    const group = groups.get(path) ?? { path, elements: [] };
    group.elements.push({ sent, index });
    groups.set(path, group);
  });
  return [...groups.values()];
}

/**
 * Merges the elements of a group in array order (D-07), until one makes the record too large for a document.
 * @param stored the stored document; undefined: there is none. Where it holds no record, the record is created
 */
export async function mergeGroup<R extends object, Sent extends object, Part extends object, SentPart extends object>(
  { path, elements }: RecordGroup<Sent>,
  stored: StoredDocument | undefined,
  rules: MergeRules<R, Sent, Part, SentPart>,
  revision: string,
  share: EventLoopShare,
): Promise<MergedGroup> {
  const { record, tombstone } = splitDocument(stored?.data);
  const merged = new MergedRecord(rules, record && fromDocument<R>(record));
  const ownBytes = documentBytes({ revision });
  let bytes = 0;
  let peakBytes = 0;
  let errors: ValidationErrors | undefined;
  for (const { sent, index } of elements) {
    await runInShares(merged.adding(sent), share);
    bytes = ownBytes + merged.bytes();
    peakBytes = Math.max(peakBytes, bytes);
    errors = tooLarge(bytes, index, () => merged.largestField());
    if (errors) break;
  }
  const data = joinDocument({ record: toDocument(merged.record ?? {}, revision), tombstone }) ?? {};
  const write = { set: path, data, bytes, when: stored?.version ?? ('absent' as const) };
  return { write, isNew: !record, bytes, peakBytes, errors };
}
