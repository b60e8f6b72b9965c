/** Slices of a file on the store in memory, prepared as a step does; what they read is counted. */
import type { Deadline } from '../../../shared/platform/deadline';
import { deadlineIn } from '../../../shared/platform/deadline';
import { drainDeletions } from '../../../shared/deletions/apply-deletion';
import { deletionFlagPath } from '../../../shared/documents/paths';
import type { DocumentStore, DocumentWrite } from '../../../shared/documents/document-store';
import { writtenPath } from '../../../shared/documents/document-store';
import type { DocumentData } from '../../../shared/domain/records/document';
import { documentBytes } from '../../../shared/domain/records/document';
import type { RecordKind } from '../../../shared/domain/identity';
import type { TenantSettings } from '../../../shared/domain/tenant';
import type { ChangeCounts } from '../../../shared/transfers/runs/changes';
import type { RowCounts } from '../../../shared/transfers/runs/run';
import type { SliceSource } from '../../../shared/transfers/reading/check-slice';
import {
  isPrepared,
  NO_EXPECTATION,
  applySlice,
  prepareSlice,
  prepareSlices,
} from '../../../shared/transfers/reading/slice';
import type { TransferDependencies } from '../../../shared/transfers/runs/steps';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { overriding } from '../../support/overriding';
import { SeededRandom } from '../../support/seeded-random';
import { aTenant } from '../support/tenant';
import { sliceSource, toRows } from './slice-source';

export interface SliceOutcome {
  readonly rowsApplied: number;
  readonly counts: RowCounts;
  readonly changes: ChangeCounts;
  readonly writes: readonly DocumentWrite[];
  /** Stored bytes of all documents that were read for it. */
  readonly readBytes: number;
}

export class SlicesInMemory {
  private readonly clock = new FixedClock();
  readonly store = new MemoryDocumentStore(this.clock);
  readonly tenant;
  private readBytes = 0;

  constructor(
    private readonly kind: RecordKind,
    settings: Partial<TenantSettings> = {},
    /** What the slices work with, made of the store. */
    private readonly watch: (store: DocumentStore) => DocumentStore = (store) => store,
  ) {
    this.tenant = aTenant(settings);
  }

  async put(path: string, data: DocumentData): Promise<void> {
    await this.store.commit([{ set: path, data }]);
  }

  /** The flag of deletions that are applied: tombstones are looked for. */
  async noteDeletion(): Promise<void> {
    await this.put(deletionFlagPath(this.tenant.tenantId, this.kind), { state: 'lowered' });
  }

  get nowMs(): number {
    return this.clock.nowMs();
  }

  /** Lets time pass. */
  passMs(ms: number): void {
    this.clock.advance(ms);
  }

  deadline(): Deadline {
    return deadlineIn(10_000, this.clock);
  }

  /** Slices of one file, prepared together as those of a chunk are, and committed one after the other. */
  async commitInOrder(parts: readonly (readonly object[])[]): Promise<void> {
    const rows = parts.map(toRows);
    const source = this.source(0);
    const slices = await prepareSlices(rows, source, NO_EXPECTATION, [], this.deadline(), this.dependencies());
    for (const [index, slice] of slices.entries()) {
      const again = () => prepareSlice(rows[index] ?? [], source, this.deadline(), this.dependencies());
      const prepared = isPrepared(slice) ? slice : await again();
      await applySlice(prepared, []);
      expect(await this.store.commit(prepared.workspace.toWrites())).not.toBe('conflict');
    }
  }

  /** One slice of a file that is as old as the records; nothing is committed. */
  async apply(records: readonly object[], ageMs = 0): Promise<SliceOutcome> {
    this.readBytes = 0;
    const source = this.source(ageMs);
    const deadline = deadlineIn(1_000, this.clock);
    const slice = await prepareSlice(toRows(records), source, deadline, this.dependencies());
    const applied = await applySlice(slice, []);
    if (!applied) throw new Error('A slice was not prepared as a whole.');
    const { rowsApplied, counts, changes } = applied;
    return { rowsApplied, counts, changes, writes: slice.workspace.toWrites(), readBytes: this.readBytes };
  }

  /** Applies what is left to be deleted after the commits. */
  async applyDeletions(): Promise<void> {
    await drainDeletions(this.tenant, this.kind, deadlineIn(10_000, this.clock), this.dependencies());
  }

  /** All slices that the records take, each committed. */
  async applyAll(records: readonly object[], ageMs = 0): Promise<SliceOutcome[]> {
    const outcomes: SliceOutcome[] = [];
    for (let rest = records; rest.length > 0;) {
      const outcome = await this.apply(rest, ageMs);
      expect(await this.store.commit(outcome.writes)).not.toBe('conflict');
      outcomes.push(outcome);
      rest = rest.slice(outcome.rowsApplied);
    }
    return outcomes;
  }

  private source(ageMs: number): SliceSource {
    const updated = new Date(this.clock.nowMs() - ageMs);
    return sliceSource(this.tenant, this.kind, updated);
  }

  dependencies(): TransferDependencies {
    const count = <D extends { readonly data: DocumentData }>(documents: readonly D[]) => {
      for (const { data } of documents) this.readBytes += documentBytes(data);
    };
    const store = overriding<DocumentStore>(this.store, {
      getAll: async (paths: readonly string[]) => {
        const found = await this.store.getAll(paths);
        count(found);
        return found;
      },
      getSome: async (paths: readonly string[], maxBytes: number) => {
        const some = await this.store.getSome(paths, maxBytes);
        count(some.documents);
        return some;
      },
    });
    return {
      store: this.watch(store),
      clock: this.clock,
      random: new SeededRandom(),
    } as unknown as TransferDependencies;
  }
}

/** Stored bytes of what a commit carries, with its paths. */
export function bytesOf(writes: readonly DocumentWrite[]): number {
  return writes.reduce(
    (sum, write) => sum + writtenPath(write).length + ('set' in write ? documentBytes(write.data) : 0),
    0,
  );
}
