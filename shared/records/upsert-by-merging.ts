/**
 * Writes records that hold parts (products with variants, orders with items). A record that looks new is created
 * without being read, with the precondition that its document is absent. Any other record is read, merged, and written
 * with the precondition that nobody wrote it in between. Where a precondition fails, the record is read and merged
 * again.
 *
 * A batch of ordinary records is read at once, merged, and written at once. A batch of more than MERGE_WINDOW_BYTES is
 * processed in windows. So neither many large records nor a large batch fills the memory that all tenants share.
 *
 * Nothing of a batch is stored if one of its records cannot be stored (D-30). This is ensured in order:
 *
 * 1. A tenant's flag of large records is set before its first large record is stored, and read after the whole batch
 *    has
 *    arrived. So it is known whether any stored record is large by then.
 * 2. Before the first write, every record of the batch is known to fit: either it was read and merged, or the sent and
 *    the stored record are each at most half of a record's limit. If one does not fit: 400, nothing is stored.
 * 3. If a record no longer fits after the first write, another writer has enlarged it meanwhile. A 400 would be wrong,
 *    because a part of the batch is stored. The caller is asked to repeat the batch (RetryLater), and check 2 of the
 *    repeat finds the enlarged record.
 */
import type { Deadline } from '../platform/deadline';
import { applyDeletionsBeforeWrite } from '../deletions/apply-deletion';
import type { PendingHint } from '../deletions/pending-flag';
import type { StoredDocument } from '../documents/document-store';
import { idOf } from '../documents/paths';
import type { RecordId } from '../domain/identity';
import { MERGE_WINDOW_BYTES } from '../limits/records';
import type { Tenant } from '../domain/tenant';
import { EventLoopShare } from '../platform/async/event-loop-share';
import { RetryLater } from '../platform/retry-later';
import type { ValidationErrors } from '../validation/validation-failed';
import { ValidationFailed } from '../validation/validation-failed';
import { flagLargeRecords, isLarge } from '../workspace/large-records';
import type { MergeableKind, MergedGroup, RecordGroup } from './merged-group';
import { groupByRecord, mergeGroup } from './merged-group';
import type { PlannedUpsert, UpsertedCounts } from './planned-upsert';
import type { UpsertDependencies } from './upsert-dependencies';
import { newRevision } from '../workspace/record-documents';
import { ContentionTimeout, retryConflicts } from '../workspace/retry-conflicts';

/** A record of the batch that is still to be stored. */
interface OpenGroup<Sent> extends RecordGroup<Sent> {
  /** Whether the record is predicted absent, and so is not read. */
  looksNew: boolean;
  /** The record as it is created if it is new; undefined: not merged yet. */
  created: MergedGroup | undefined;
  /** Approximate stored bytes; 0: unknown. */
  expectedBytes: number;
}

/** Records that were read and merged together, and the rest, for which the window had no room. */
interface Window<Sent> {
  readonly merged: readonly { readonly group: OpenGroup<Sent>; readonly after: MergedGroup }[];
  readonly rest: readonly OpenGroup<Sent>[];
}

/** Plans to upsert valid elements in array order (D-07). */
export async function planByMerging<
  R extends object,
  Sent extends object,
  Part extends object,
  SentPart extends object,
>(
  batch: readonly Sent[],
  merging: MergeableKind<R, Sent, Part, SentPart>,
  tenant: Tenant,
  dependencies: UpsertDependencies,
): Promise<PlannedUpsert> {
  const upsert = new UpsertByMerging(batch, merging, tenant, dependencies);
  await upsert.mergeAhead();
  return (flag, deadline, mayHoldLarge) => upsert.store(flag, deadline, mayHoldLarge);
}

class UpsertByMerging<R extends object, Sent extends object, Part extends object, SentPart extends object> {
  private readonly groups: readonly OpenGroup<Sent>[];
  private readonly revision: string;
  /** Whether the tenant may hold large records. If so, all records are read. */
  private mayHoldLarge: boolean;
  private readonly counts = { created: 0, updated: 0 };
  /** Maximum number of records in one read. Once a read was cut off: about as many as fit. */
  private readLimit = Infinity;

  constructor(
    batch: readonly Sent[],
    private readonly merging: MergeableKind<R, Sent, Part, SentPart>,
    private readonly tenant: Tenant,
    private readonly dependencies: UpsertDependencies,
  ) {
    const { tenantId, hasLargeRecords } = tenant;
    this.revision = newRevision(dependencies.random);
    this.mayHoldLarge = hasLargeRecords === true;
    this.groups = groupByRecord(batch, merging, tenantId).map((group) => {
      const looksNew = !this.mayHoldLarge && dependencies.presencePredictor.predict(tenantId, group.path) === 'absent';
      return { ...group, looksNew, created: undefined, expectedBytes: 0 };
    });
  }

  /** Merges the records that look new, as many as fit one window. */
  async mergeAhead(): Promise<void> {
    const share = new EventLoopShare();
    let bytes = 0;
    for (const group of this.groups) {
      if (!group.looksNew) continue;
      if (bytes >= MERGE_WINDOW_BYTES) return;
      const created = await this.merge(group, undefined, share);
      bytes += created.bytes;
      if (isLarge(created.peakBytes)) group.looksNew = false;
      else group.created = created;
    }
  }

  /** Stores the batch, as specified by `PlannedUpsert`. */
  async store(
    flag: Promise<PendingHint | undefined>,
    deadline: Deadline,
    mayHoldLarge: Promise<boolean>,
  ): Promise<UpsertedCounts> {
    const ids = this.groups.map(({ path }) => idOf(path) as RecordId);
    await applyDeletionsBeforeWrite(this.tenant, this.merging.kind, ids, await flag, deadline, this.dependencies);
    if (this.groups.length === 0) return this.counts;
    this.mayHoldLarge ||= await mayHoldLarge;
    if (this.mayHoldLarge) for (const group of this.groups) readFirst(group);
    const errors: Record<string, readonly string[]> = {};
    const { rest, open } = await this.storeFirst(errors, deadline);
    if (open.length > 0) await this.storeInTurn(open, rest, errors, deadline);
    return this.counts;
  }

  /**
   * Stores a batch that fits one window. It is a function of its own so that its window can be freed when it returns.
   * @returns `open`: the records that are still to be stored; `rest`: those of them that were not read yet
   */
  private async storeFirst(
    errors: Record<string, readonly string[]>,
    deadline: Deadline,
  ): Promise<{ readonly open: readonly OpenGroup<Sent>[]; readonly rest: readonly OpenGroup<Sent>[] }> {
    const window = await this.read(this.groups, deadline);
    Object.assign(errors, measureWindow(window));
    const { rest } = window;
    if (rest.length > 0) return { open: this.groups, rest };
    this.requireNoErrors(errors);
    return { open: await this.write(window, deadline), rest };
  }

  /**
   * Stores the records of a larger batch, or those in conflict, in the merge queue. The first of many large batches is
   * then stored while the others wait. If all were stored at once, all might miss their deadlines.
   * @param rest records that were not read yet
   */
  private async storeInTurn(
    groups: readonly OpenGroup<Sent>[],
    rest: readonly OpenGroup<Sent>[],
    errors: Record<string, readonly string[]>,
    deadline: Deadline,
  ): Promise<void> {
    const { mergeQueue } = this.dependencies;
    const paths = groups.map(({ path }) => path);
    await mergeQueue.runInTurn(paths, async () => {
      if (deadline.remainingMs() === 0) throw new ContentionTimeout(`${groups.length} records had no turn in time.`);
      for (const group of groups) if (!this.isStillNew(group)) readFirst(group);
      if (rest.length > 0) await this.checkSizes(rest, errors, deadline);
      this.requireNoErrors(errors);
      await retryConflicts(groups, (open) => this.storeInWindows(open, deadline), deadline, this.dependencies);
    });
  }

  /** Adds the errors of records that do not fit. Does not keep what it reads. */
  private async checkSizes(
    groups: readonly OpenGroup<Sent>[],
    errors: Record<string, readonly string[]>,
    deadline: Deadline,
  ): Promise<void> {
    const isAnyLarge = await this.isAnySentLarge();
    if (!this.mayHoldLarge && !isAnyLarge) return;
    let rest = groups;
    while (rest.length > 0) {
      const next = this.firstWindowOf(rest);
      const unfinished = await this.dependencies.mergeQueue.runWindow(async () => {
        const window = await this.read(next, deadline);
        Object.assign(errors, measureWindow(window));
        return window.rest;
      });
      rest = [...unfinished, ...rest.slice(next.length)];
    }
  }

  /** Whether any sent element is large. Records with large elements are read first from then on. */
  private async isAnySentLarge(): Promise<boolean> {
    if (this.mayHoldLarge) return true;
    const share = new EventLoopShare();
    let isAny = false;
    for (const group of this.groups) {
      const { bytes, peakBytes } = group.created ?? (await this.merge(group, undefined, share));
      group.expectedBytes = Math.max(group.expectedBytes, bytes);
      if (!isLarge(peakBytes)) continue;
      readFirst(group);
      isAny = true;
    }
    return isAny;
  }

  /** @returns the records in conflict */
  private async storeInWindows(groups: readonly OpenGroup<Sent>[], deadline: Deadline): Promise<OpenGroup<Sent>[]> {
    const inConflict: OpenGroup<Sent>[] = [];
    let rest = groups;
    while (rest.length > 0) {
      const next = this.firstWindowOf(rest);
      const unfinished = await this.dependencies.mergeQueue.runWindow(async () => {
        const window = await this.read(next, deadline);
        this.requireNoErrors(measureWindow(window));
        inConflict.push(...(await this.write(window, deadline)));
        return window.rest;
      });
      rest = [...unfinished, ...rest.slice(next.length)];
    }
    return inConflict;
  }

  /** The first records, as many as probably fit one window. */
  private firstWindowOf(groups: readonly OpenGroup<Sent>[]): readonly OpenGroup<Sent>[] {
    let bytes = 0;
    const end = groups.findIndex((group, index) => {
      if (index >= this.readLimit || bytes >= MERGE_WINDOW_BYTES) return true;
      bytes += group.expectedBytes;
      return false;
    });
    return end === -1 ? groups : groups.slice(0, end);
  }

  /** Reads and merges records until they fill a window: at least one record. */
  private async read(groups: readonly OpenGroup<Sent>[], deadline: Deadline): Promise<Window<Sent>> {
    const paths = groups.flatMap(({ path, looksNew }) => (looksNew ? [] : [path]));
    const { documents, unread } =
      paths.length > 0
        ? await this.dependencies.store.getSome(paths, MERGE_WINDOW_BYTES, deadline)
        : { documents: [], unread: [] };
    if (unread.length > 0) this.readLimit = Math.max(1, 2 * documents.length);
    const stored = new Map(documents.map((document) => [document.path, document]));
    const isUnread = new Set(unread);
    const share = new EventLoopShare();
    const merged: Window<Sent>['merged'][number][] = [];
    const rest: OpenGroup<Sent>[] = [];
    let bytes = 0;
    for (const group of groups) {
      if (isUnread.has(group.path) || bytes >= MERGE_WINDOW_BYTES) rest.push(group);
      else {
        const after = group.created ?? (await this.merge(group, stored.get(group.path), share));
        bytes += after.bytes;
        merged.push({ group, after });
      }
    }
    return { merged, rest };
  }

  /** Writes the records of a window. @returns the records in conflict */
  private async write({ merged }: Window<Sent>, deadline: Deadline): Promise<OpenGroup<Sent>[]> {
    const { store, presencePredictor } = this.dependencies;
    if (!this.mayHoldLarge && merged.some(({ after }) => isLarge(after.bytes))) {
      await flagLargeRecords(this.tenant, store, deadline);
      this.mayHoldLarge = true;
    }
    const writes = merged.map(({ after }) => after.write);
    const outcomes = await store.writeEach(writes, deadline);
    merged.forEach(({ after: { isNew } }, index) => {
      if (outcomes[index] === 'written') this.counts[isNew ? 'created' : 'updated'] += 1;
    });
    const found = merged.map(({ group: { path }, after: { write } }, index) => {
      const isPresent = write.when !== 'absent' || outcomes[index] === 'conflict';
      return { path, presence: isPresent ? ('present' as const) : ('absent' as const) };
    });
    presencePredictor.learn(this.tenant.tenantId, found);
    const inConflict = merged.flatMap(({ group }, index) => (outcomes[index] === 'conflict' ? [group] : []));
    for (const group of inConflict) readFirst(group);
    return inConflict;
  }

  /** Whether the record still looks new: this instance has not seen it stored meanwhile. */
  private isStillNew({ path, looksNew }: OpenGroup<Sent>): boolean {
    return looksNew && this.dependencies.presencePredictor.predict(this.tenant.tenantId, path) === 'absent';
  }

  private requireNoErrors(errors: ValidationErrors): void {
    if (Object.keys(errors).length === 0) return;
    const { created, updated } = this.counts;
    if (created + updated > 0) throw new RetryLater('Records grew beyond their documents while a batch was stored.');
    throw new ValidationFailed(errors);
  }

  private merge(
    group: OpenGroup<Sent>,
    stored: StoredDocument | undefined,
    share: EventLoopShare,
  ): Promise<MergedGroup> {
    return mergeGroup(group, stored, this.merging.rules, this.revision, share);
  }
}

/** Has the record read before it is written. */
function readFirst<Sent>(group: OpenGroup<Sent>): void {
  group.looksNew = false;
  group.created = undefined;
}

/** Updates the expected sizes of the records of a window. @returns the errors of those that do not fit */
function measureWindow<Sent>({ merged }: Window<Sent>): Record<string, readonly string[]> {
  const errors: Record<string, readonly string[]> = {};
  for (const { group, after } of merged) {
    group.expectedBytes = after.bytes;
    Object.assign(errors, after.errors);
  }
  return errors;
}
