/** Picks records that a preview would change, slice by slice, so that somebody can look at them. */
import type { DocumentStore } from '../../documents/document-store';
import { idOf, recordsPath } from '../../documents/paths';
import { CONSENTS } from '../../domain/records/customer';
import type { DocumentData } from '../../domain/records/document';
import { MERGE_WINDOW_BYTES } from '../../limits/records';
import { EventLoopShare, runInShares } from '../../platform/async/event-loop-share';
import type { Deadline } from '../../platform/deadline';
import type { Workspace } from '../../workspace/workspace';
import { previewExpiry } from '../runs/expiry';
import type { Run, RunFile } from '../runs/run';
import type { FileOfUnit } from '../runs/steps';
import type { ExampleRank, ExampleWrite } from '../runs/view/examples';
import { findRoom, toExampleWrite } from '../runs/view/examples';
import { toExample } from './example';
import { isBySku } from './rows/located-row';
import type { AppliedSlice, PreparedSlice } from './slice';

type ChangingSlice = Pick<PreparedSlice, 'rows' | 'workspace' | 'context' | 'deletesCustomers'>;

/** The examples of one step on a file: at most MAX_EXAMPLES of each rank, and none that would not be shown. */
export class ExamplePicker {
  /** The paths of those that were picked. */
  private readonly picked: Readonly<Record<ExampleRank, Set<string>>> = { consents: new Set(), others: new Set() };
  /** How many may be picked of each rank; undefined: nothing was to be picked yet. */
  private room: Promise<Readonly<Record<ExampleRank, number>>> | undefined;

  constructor(
    private readonly step: FileOfUnit,
    private readonly run: Run,
    private readonly file: RunFile,
  ) {}

  /** The writes that store the examples of a slice, for its commit. */
  async pick(
    slice: ChangingSlice,
    applied: Pick<AppliedSlice, 'changing'>,
    store: DocumentStore,
    deadline: Deadline,
  ): Promise<ExampleWrite[]> {
    const { kind, object } = this.file;
    const { runId, fileId } = this.step;
    const changed = changedPaths(slice, applied, `${recordsPath(this.run.tenantId, kind)}/`);
    if (changed.size === 0) return [];
    this.room ??= findRoom(runId, fileId, store, deadline);
    const room = await this.room;
    const hasRoom = (rank: ExampleRank) => this.picked[rank].size < room[rank];
    if (!hasRoom('others') && !(kind === 'customers' && hasRoom('consents'))) return [];
    const lines = new Map<string, number>();
    for (const row of slice.rows) if (row?.valid && !lines.has(row.valid.path)) lines.set(row.valid.path, row.line);
    const share = new EventLoopShare();
    const writes: ExampleWrite[] = [];
    for (const { path, before, after } of await changedRecords(slice.workspace, changed, store, deadline)) {
      const rank = kind === 'customers' && areConsentsChanged(before, after) ? 'consents' : 'others';
      if (!hasRoom(rank)) continue;
      const row = { Object: object, Line: lines.get(path) ?? null };
      const example = await runInShares(toExample(kind, row, before, after), share);
      if (!example) continue;
      const place = { rank, recordId: idOf(path), expireAt: previewExpiry(this.run) } as const;
      const write = toExampleWrite(runId, fileId, place, example);
      this.picked[rank].add(write.set);
      writes.push(write);
    }
    return writes;
  }

  /** Picks these examples no more: their commit was in conflict. */
  putBack(writes: readonly ExampleWrite[]): void {
    for (const { set: path } of writes) for (const picked of Object.values(this.picked)) picked.delete(path);
  }
}

/** The paths of the records that a slice changes, without those that all of their rows have left as they are. */
function changedPaths(
  { rows, workspace, context, deletesCustomers }: ChangingSlice,
  { changing }: Pick<AppliedSlice, 'changing'>,
  records: string,
): ReadonlySet<string> {
  const changed = new Set(workspace.changedPaths().filter((path) => path.startsWith(records)));
  // By Sku, a row can change another product than that with its id; so can one that deletes customers.
  if (isBySku(context) || deletesCustomers) return changed;
  for (const row of rows) if (row?.valid && !changing.has(row.valid.path)) changed.delete(row.valid.path);
  return changed;
}

interface ChangedRecord {
  readonly path: string;
  readonly before: DocumentData | undefined;
  readonly after: DocumentData | undefined;
}

/** The records at these paths. Those whose content was released are read again, up to a bound. */
async function changedRecords(
  workspace: Workspace,
  paths: ReadonlySet<string>,
  store: DocumentStore,
  deadline: Deadline,
): Promise<readonly ChangedRecord[]> {
  const changes = [...workspace.changes()].filter(({ path }) => paths.has(path));
  const released = changes.filter(({ before }) => before === 'released').map(({ path }) => path);
  const { documents } = await store.getSome(released, MERGE_WINDOW_BYTES, deadline);
  const read = new Map(documents.map(({ path, data }) => [path, data]));
  return changes.flatMap(({ path, before, after }) => {
    if (before !== 'released') return [{ path, before, after }];
    return read.has(path) ? [{ path, before: read.get(path), after }] : [];
  });
}

function areConsentsChanged(before: DocumentData | undefined, after: DocumentData | undefined): boolean {
  return CONSENTS.some((consent) => (before?.[consent] === true) !== (after?.[consent] === true));
}
