/**
 * Writes records that hold parts (products with variants, orders with items). One that looks new is created without
 * being read, on the condition that it is absent. Any other is read, merged, and written on the condition that nobody
 * wrote in between. Where a condition fails, the record is read and merged again.
 */
import { applyPendingDeletions } from '../deletions/apply-deletion';
import type { StoredDocument } from '../documents/document-store';
import { recordPath } from '../documents/paths';
import { documentBytes } from '../domain/document';
import type { RecordId } from '../domain/identity';
import type { Tenant } from '../domain/tenant';
import type { Placed } from './fits';
import { requireFits } from './fits';
import { isLarge, noteLargeRecords } from './large-records';
import type { PlannedUpsert } from './planned-upsert';
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

/** A record after the upsert. */
interface Merged extends Placed {
  readonly path: string;
}

interface Attempt<Dto> {
  readonly group: Group<Dto>;
  /** What is stored if the record is absent; undefined: it is read first. */
  readonly created: Merged | undefined;
}

/** Plans to upsert valid elements in array order (D-07). */
export function planByMerging<Dto, R extends object>(
  batch: readonly Dto[],
  merging: Merging<Dto, R>,
  tenant: Tenant,
  dependencies: UpsertDependencies,
): PlannedUpsert {
  const { store, random, presence } = dependencies;
  const { tenantId } = tenant;
  const stamp = newStamp(random);
  const attempts = toGroups(batch, merging, tenant).map((group): Attempt<Dto> => {
    const looksNew = tenant.hasLargeRecords !== true && presence.of(tenantId, group.path) === 'absent';
    const created = looksNew ? fold(group, undefined, merging, stamp) : undefined;
    return { group, created: created && !isLarge(created.bytes) ? created : undefined };
  });
  return async (mark, deadline) => {
    await applyPendingDeletions(tenant, merging.kind, deadline, dependencies, mark);
    await settle(
      attempts,
      async (open) => {
        const unknown = open.flatMap(({ group, created }) => (created ? [] : [group.path]));
        const stored = byPath(unknown.length > 0 ? await store.getAll(unknown, deadline) : []);
        const merged = open.map(({ group, created }) => created ?? fold(group, stored.get(group.path), merging, stamp));
        requireFits(merged);
        if (merged.some(({ bytes }) => isLarge(bytes))) await noteLargeRecords(tenant, store, deadline);
        const writes = merged.map(({ path, data, bytes }) => {
          return { set: path, data, bytes, when: stored.get(path)?.version ?? ('absent' as const) };
        });
        const outcomes = await store.writeEach(writes, deadline);
        const inConflict = open.filter((_, place) => outcomes[place] === 'conflict');
        const present = new Set([...stored.keys(), ...inConflict.map(({ group }) => group.path)]);
        presence.learn(
          tenantId,
          open.map(({ group: { path } }) => ({ path, assumed: present.has(path) ? 'present' : 'absent' })),
        );
        return inConflict.map(({ group }) => ({ group, created: undefined }));
      },
      deadline,
      dependencies,
    );
  };
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
): Merged {
  const before = stored && fromDocument<R>(stored.data);
  const after = group.elements.reduce<R | undefined>((record, element) => merging.merge(record, element), before);
  const data = toDocument(after ?? {}, stamp);
  return { path: group.path, data, bytes: documentBytes(data), index: group.index };
}

function byPath(documents: readonly StoredDocument[]): Map<string, StoredDocument> {
  return new Map(documents.map((document) => [document.path, document]));
}
