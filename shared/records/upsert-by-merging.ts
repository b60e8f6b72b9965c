/**
 * Writes records that hold parts (products with variants, orders with items): reads what is stored, merges, and writes
 * on the condition that nobody wrote in between; a record that somebody did write is read and merged again.
 */
import type { Deadline } from '../deadline';
import { applyPendingDeletions } from '../deletions/apply-deletion';
import type { StoredDocument } from '../documents/document-store';
import { recordPath } from '../documents/paths';
import type { RecordId } from '../domain/identity';
import type { Tenant } from '../domain/tenant';
import { ValidationFailed } from '../validation/validation-failed';
import { requireFits } from './fits';
import type { RecordDependencies } from './record-dependencies';
import { fromDocument, newStamp, toDocument } from './record-documents';
import { settle } from './settle';

/** What tells one kind of record from another. */
export interface Merging<Dto, R extends object> {
  readonly kind: 'products' | 'orders';
  readonly idOf: (sent: Dto) => RecordId;
  /** The record after an upsert; `stored` undefined: it is created. */
  readonly merge: (stored: R | undefined, sent: Dto) => R;
}

/** The elements of a batch that are the same record, in their order. */
interface Group<Dto> {
  readonly path: string;
  readonly elements: readonly Dto[];
  /** The last element's place in the batch. */
  readonly index: number;
}

/** Upserts valid elements in array order (D-07). Repeating it is safe. @throws ValidationFailed, ContentionTimeout */
export async function upsertByMerging<Dto, R extends object>(
  batch: readonly Dto[],
  merging: Merging<Dto, R>,
  tenant: Tenant,
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<void> {
  const { store, random } = dependencies;
  const stamp = newStamp(random);
  const groups = toGroups(batch, merging, tenant);
  const read = (open: readonly Group<Dto>[]) => {
    const paths = open.map(({ path }) => path);
    return store.getAll(paths, deadline);
  };
  // Both at once: what a deletion changes after it was read is in conflict below.
  const [found, mayHaveChanged] = await Promise.all([
    read(groups),
    applyPendingDeletions(tenant, merging.kind, deadline, dependencies),
  ]);
  let first = mayHaveChanged ? undefined : found;
  await settle(
    groups,
    async (open) => {
      const isReadAhead = first !== undefined;
      const stored = byPath(first ?? (await read(open)));
      first = undefined;
      const merged = open.map((group) => ({
        data: fold(group, stored.get(group.path), merging, stamp),
        index: group.index,
      }));
      try {
        requireFits(merged);
      } catch (error) {
        // What was read beside the look at the deletions may be from before one of them.
        if (isReadAhead && error instanceof ValidationFailed) return open;
        throw error;
      }
      const outcomes = await store.writeEach(
        open.map(({ path }, place) => ({
          set: path,
          data: merged[place]?.data ?? {},
          when: stored.get(path)?.version ?? 'absent',
        })),
        deadline,
      );
      return open.filter((_, place) => outcomes[place] === 'conflict');
    },
    deadline,
    dependencies,
  );
}

function toGroups<Dto, R extends object>(
  batch: readonly Dto[],
  merging: Merging<Dto, R>,
  tenant: Tenant,
): Group<Dto>[] {
  const groups = new Map<string, { path: string; elements: Dto[]; index: number }>();
  batch.forEach((element, index) => {
    const path = recordPath(tenant.tenantId, merging.kind, merging.idOf(element));
    const group = groups.get(path) ?? { path, elements: [], index };
    group.elements.push(element);
    group.index = index;
    groups.set(path, group);
  });
  return [...groups.values()];
}

function fold<Dto, R extends object>(
  group: Group<Dto>,
  stored: StoredDocument | undefined,
  merging: Merging<Dto, R>,
  stamp: string,
) {
  const before = stored && fromDocument<R>(stored.data);
  const after = group.elements.reduce<R | undefined>((record, element) => merging.merge(record, element), before);
  return toDocument(after ?? {}, stamp);
}

export function byPath(documents: readonly StoredDocument[]): Map<string, StoredDocument> {
  return new Map(documents.map((document) => [document.path, document]));
}
