/**
 * Writes records that hold parts (products with variants, orders with items). A batch that looks new is created without
 * reading. Else what is stored is read, merged, and written on the condition that nobody wrote in between; a record
 * that somebody did write is read and merged again.
 */
import type { Deadline } from '../deadline';
import { applyPendingDeletions } from '../deletions/apply-deletion';
import type { RaisedMark } from '../deletions/deletion-log';
import type { StoredDocument } from '../documents/document-store';
import { recordPath } from '../documents/paths';
import { documentBytes } from '../domain/document';
import type { RecordId } from '../domain/identity';
import { MAX_RECORD_BYTES, WRITE_CHUNK_BYTES } from '../domain/limits';
import type { Tenant } from '../domain/tenant';
import { requireFits } from './fits';
import type { UpsertDependencies } from './record-dependencies';
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

/**
 * Upserts valid elements in array order (D-07), after the deletions that were accepted before. Repeating it is safe.
 * @param mark the deletion mark of this kind, if the caller has begun to read it; omitted: it is read here
 * @throws ValidationFailed, ContentionTimeout
 */
export async function upsertByMerging<Dto, R extends object>(
  batch: readonly Dto[],
  merging: Merging<Dto, R>,
  tenant: Tenant,
  deadline: Deadline,
  dependencies: UpsertDependencies,
  mark?: Promise<RaisedMark | undefined>,
): Promise<void> {
  const { presence, random } = dependencies;
  await applyPendingDeletions(tenant, merging.kind, deadline, dependencies, mark);
  const work = { merging, tenant, stamp: newStamp(random), deadline, dependencies };
  const groups = toGroups(batch, merging, tenant);
  const areNew = groups.length > 0 && groups.every(({ path }) => presence.of(tenant.tenantId, path) === 'absent');
  if (!areNew || !(await createAll(groups, work))) await mergeAll(groups, work);
}

/** What both ways to write a batch need. */
interface Work<Dto, R extends object> {
  readonly merging: Merging<Dto, R>;
  readonly tenant: Tenant;
  readonly stamp: string;
  readonly deadline: Deadline;
  readonly dependencies: UpsertDependencies;
}

/**
 * Creates records that are taken for new without reading, in one commit: one that is there after all makes it fail as a
 * whole, so that a batch that cannot be stored is refused before anything is. @returns whether they were created
 */
async function createAll<Dto, R extends object>(
  groups: readonly Group<Dto>[],
  { merging, tenant, stamp, deadline, dependencies }: Work<Dto, R>,
): Promise<boolean> {
  const { store, presence } = dependencies;
  const writes = groups.map((group) => ({
    set: group.path,
    data: fold(group, undefined, merging, stamp),
    when: 'absent' as const,
  }));
  const sizes = writes.map(({ data }) => documentBytes(data));
  const total = sizes.reduce((sum, bytes) => sum + bytes, 0);
  if (total > WRITE_CHUNK_BYTES || sizes.some((bytes) => bytes > MAX_RECORD_BYTES)) return false;
  if ((await store.commit(writes, deadline)) === 'conflict') return false;
  presence.learn(
    tenant.tenantId,
    groups.map(({ path }) => ({ path, assumed: 'absent' })),
    Infinity,
  );
  return true;
}

async function mergeAll<Dto, R extends object>(
  groups: readonly Group<Dto>[],
  { merging, tenant, stamp, deadline, dependencies }: Work<Dto, R>,
): Promise<void> {
  const { store, presence } = dependencies;
  await settle(
    groups,
    async (open) => {
      const paths = open.map(({ path }) => path);
      const stored = byPath(await store.getAll(paths, deadline));
      const found = paths.map((path) => ({ path, assumed: stored.has(path) ? 'present' : 'absent' }) as const);
      presence.learn(tenant.tenantId, found, Infinity);
      const merged = open.map((group) => ({
        data: fold(group, stored.get(group.path), merging, stamp),
        index: group.index,
      }));
      requireFits(merged);
      const outcomes = await store.writeEach(
        merged.map(({ data }, place) => {
          const path = paths[place] ?? '';
          return { set: path, data, when: stored.get(path)?.version ?? 'absent' };
        }),
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

function byPath(documents: readonly StoredDocument[]): Map<string, StoredDocument> {
  return new Map(documents.map((document) => [document.path, document]));
}
