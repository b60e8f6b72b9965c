/**
 * Writes records that hold parts (products with variants, orders with items). One that looks new is created without
 * being read, on the condition that it is absent. Any other is read, merged, and written on the condition that nobody
 * wrote in between. Where a condition fails, the record is read and merged again.
 *
 * A batch of ordinary records is read at once, merged, and written at once. What takes more than MERGE_WINDOW_BYTES
 * goes window by window, so that neither many large records nor a large batch fill the memory that all tenants share.
 *
 * Nothing of a batch is stored when one of its records cannot be (D-30). The order of steps holds this:
 *
 * 1. Whoever stores a tenant's first large record has marked the tenant before. The mark is read after the whole batch
 *    has arrived. So whatever is large by then is known to be there.
 * 2. Before the first write every record of the batch is known to fit: it was read and merged, or both what is sent and
 *    what is stored is at most half of what a record holds. If one does not fit: 400, and nothing is stored.
 * 3. From the first write on, a record that does not fit any more has grown by somebody else's write meanwhile. That is
 *    no 400, because a part is stored: the caller is asked to repeat the batch (RetryLater), and the repeat finds at
 *    step 2 what has grown.
 */
import type { Deadline } from '../platform/deadline';
import { applyDeletionsOf } from '../deletions/apply-deletion';
import type { MayBePending } from '../deletions/pending-flag';
import type { StoredDocument } from '../documents/document-store';
import { idOf } from '../documents/paths';
import type { RecordId } from '../domain/identity';
import { MERGE_WINDOW_BYTES } from '../limits/records';
import type { Tenant } from '../domain/tenant';
import { EventLoopShare } from '../platform/async/event-loop-share';
import { RetryLater } from '../platform/retry-later';
import type { ValidationErrors } from '../validation/validation-failed';
import { ValidationFailed } from '../validation/validation-failed';
import { isLarge, flagLargeRecords } from '../workspace/large-records';
import type { RecordGroup, MergedGroup, MergeableKind } from './merged-group';
import { mergeGroup, groupByRecord } from './merged-group';
import type { PlannedUpsert } from './planned-upsert';
import type { UpsertDependencies } from './upsert-dependencies';
import { newRevision } from '../workspace/record-documents';
import { ContentionTimeout, retryConflicts } from '../workspace/retry-conflicts';

/** A record of the batch that is still to be stored. */
interface OpenGroup<Sent> extends RecordGroup<Sent> {
  /** It looks new and is not read. */
  looksNew: boolean;
  /** What is stored if it is new, where that was merged ahead. */
  created: MergedGroup | undefined;
  /** About how many bytes it takes; 0 until something is known. */
  expectedBytes: number;
}

/** Records that are read and merged together, and those for which there was no room. */
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
  /** Whether the tenant may hold large records: then all are read. */
  private mayHoldLarge: boolean;
  private isAnyStored = false;
  /** Most records of one read: about what fits, once a read was cut off. */
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

  /** Merges what looks new, as much as one window takes. */
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

  /** See `PlannedUpsert`. */
  async store(
    flag: Promise<MayBePending | undefined>,
    deadline: Deadline,
    mayHoldLarge: Promise<boolean>,
  ): Promise<void> {
    const ids = this.groups.map(({ path }) => idOf(path) as RecordId);
    await applyDeletionsOf(this.tenant, this.merging.kind, ids, await flag, deadline, this.dependencies);
    if (this.groups.length === 0) return;
    this.mayHoldLarge ||= await mayHoldLarge;
    if (this.mayHoldLarge) for (const group of this.groups) readFirst(group);
    const errors: Record<string, readonly string[]> = {};
    const { rest, open } = await this.storeFirst(errors, deadline);
    if (open.length > 0) await this.storeInTurn(open, rest, errors, deadline);
  }

  /**
   * Stores all of a batch that is one window. A function of its own: what it has in memory ends with it.
   * @returns the records that are still to be stored, and those of them of which nothing is known yet
   */
  private async storeFirst(
    errors: Record<string, readonly string[]>,
    deadline: Deadline,
  ): Promise<{ readonly open: readonly OpenGroup<Sent>[]; readonly rest: readonly OpenGroup<Sent>[] }> {
    const window = await this.read(this.groups, deadline);
    Object.assign(errors, measured(window));
    const { rest } = window;
    if (rest.length > 0) return { open: this.groups, rest };
    this.requireNone(errors);
    return { open: await this.write(window, deadline), rest };
  }

  /**
   * Stores what is more than one window, or was in conflict, when those that came before it for one of its records have
   * ended: the first of many large batches is then done while the others wait, where all at once might be late.
   * @param rest records of which nothing is known yet
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
      if (rest.length > 0) await this.measure(rest, errors, deadline);
      this.requireNone(errors);
      await retryConflicts(groups, (open) => this.storeInWindows(open, deadline), deadline, this.dependencies);
    });
  }

  /** Adds what is wrong with records that do not fit, without keeping what it reads. */
  private async measure(
    groups: readonly OpenGroup<Sent>[],
    errors: Record<string, readonly string[]>,
    deadline: Deadline,
  ): Promise<void> {
    const isAnyLarge = await this.isAnySentLarge();
    if (!this.mayHoldLarge && !isAnyLarge) return;
    let rest = groups;
    while (rest.length > 0) {
      const next = this.nextOf(rest);
      const left = await this.dependencies.mergeQueue.runWindow(async () => {
        const window = await this.read(next, deadline);
        Object.assign(errors, measured(window));
        return window.rest;
      });
      rest = [...left, ...rest.slice(next.length)];
    }
  }

  /** Whether an element is large by itself; what is large is read first from then on. */
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
      const next = this.nextOf(rest);
      const left = await this.dependencies.mergeQueue.runWindow(async () => {
        const window = await this.read(next, deadline);
        this.requireNone(measured(window));
        inConflict.push(...(await this.write(window, deadline)));
        return window.rest;
      });
      rest = [...left, ...rest.slice(next.length)];
    }
    return inConflict;
  }

  /** The first records, as many as one window probably takes. */
  private nextOf(groups: readonly OpenGroup<Sent>[]): readonly OpenGroup<Sent>[] {
    let bytes = 0;
    const end = groups.findIndex((group, index) => {
      if (index >= this.readLimit || bytes >= MERGE_WINDOW_BYTES) return true;
      bytes += group.expectedBytes;
      return false;
    });
    return end === -1 ? groups : groups.slice(0, end);
  }

  /** Reads and merges records until they fill a window: at least one. */
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

  /** Writes the records of a window. @returns those in conflict */
  private async write({ merged }: Window<Sent>, deadline: Deadline): Promise<OpenGroup<Sent>[]> {
    const { store, presencePredictor } = this.dependencies;
    if (!this.mayHoldLarge && merged.some(({ after }) => isLarge(after.bytes))) {
      await flagLargeRecords(this.tenant, store, deadline);
      this.mayHoldLarge = true;
    }
    const writes = merged.map(({ after }) => after.write);
    const outcomes = await store.writeEach(writes, deadline);
    this.isAnyStored ||= outcomes.includes('written');
    const found = merged.map(({ group: { path }, after: { write } }, index) => {
      const isPresent = write.when !== 'absent' || outcomes[index] === 'conflict';
      return { path, presence: isPresent ? ('present' as const) : ('absent' as const) };
    });
    presencePredictor.learn(this.tenant.tenantId, found);
    const inConflict = merged.flatMap(({ group }, index) => (outcomes[index] === 'conflict' ? [group] : []));
    for (const group of inConflict) readFirst(group);
    return inConflict;
  }

  /** Whether nobody has stored the record since it looked new, as far as this instance knows. */
  private isStillNew({ path, looksNew }: OpenGroup<Sent>): boolean {
    return looksNew && this.dependencies.presencePredictor.predict(this.tenant.tenantId, path) === 'absent';
  }

  private requireNone(errors: ValidationErrors): void {
    if (Object.keys(errors).length === 0) return;
    if (this.isAnyStored) throw new RetryLater('Records grew beyond their documents while a batch was stored.');
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

function readFirst<Sent>(group: OpenGroup<Sent>): void {
  group.looksNew = false;
  group.created = undefined;
}

/** Notes how large the records of a window are. @returns what is wrong with those that do not fit */
function measured<Sent>({ merged }: Window<Sent>): Record<string, readonly string[]> {
  const errors: Record<string, readonly string[]> = {};
  for (const { group, after } of merged) {
    group.expectedBytes = after.bytes;
    Object.assign(errors, after.errors);
  }
  return errors;
}
