/** Picks records that a preview would change, slice by slice, so that somebody can look at them. */
import type { DocumentStore, DocumentWrite } from '../../documents/document-store';
import { idOf, recordsPath } from '../../documents/paths';
import type { RecordKind } from '../../domain/identity';
import { CONSENTS } from '../../domain/records/customer';
import type { DocumentData, DocumentValue } from '../../domain/records/document';
import { isList } from '../../domain/records/document';
import { MERGE_WINDOW_BYTES } from '../../limits/records';
import { MAX_EXAMPLE_BYTES, MAX_EXAMPLES } from '../../limits/transfers';
import { EventLoopShare } from '../../platform/async/event-loop-share';
import type { Deadline } from '../../platform/deadline';
import { toShownRecord } from '../../workspace/shown-records';
import type { Workspace } from '../../workspace/workspace';
import { previewExpiry } from '../runs/expiry';
import type { Run, RunFile } from '../runs/run';
import type { FileStep } from '../runs/steps';
import type { Example, ExampleRank } from '../runs/view/examples';
import { toExampleWrite } from '../runs/view/examples';
import type { PreparedSlice } from './slice';

const IDENTIFIERS: Readonly<Record<RecordKind, readonly string[]>> = {
  customers: ['CustomerId', 'Email'],
  products: ['ProductId'],
  orders: ['OrderId'],
};

/** The examples of one step on a file: at most MAX_EXAMPLES of each rank. */
export class ExamplePicker {
  /** The paths of those that were picked. A slice that is committed again picks the same. */
  private readonly picked: Readonly<Record<ExampleRank, Set<string>>> = { consents: new Set(), others: new Set() };

  constructor(
    private readonly step: FileStep,
    private readonly run: Run,
    private readonly file: RunFile,
  ) {}

  /** The writes that store the examples of a slice, for its commit. */
  async pick(
    { rows, workspace }: Pick<PreparedSlice, 'rows' | 'workspace'>,
    store: DocumentStore,
    deadline: Deadline,
  ): Promise<DocumentWrite[]> {
    const { kind, object } = this.file;
    const isWanted = this.hasRoom('others') || (kind === 'customers' && this.hasRoom('consents'));
    if (!isWanted) return [];
    const lines = new Map<string, number>();
    for (const row of rows) if (row?.valid && !lines.has(row.valid.path)) lines.set(row.valid.path, row.line);
    const { runId, fileId } = this.step;
    const share = new EventLoopShare();
    const writes: DocumentWrite[] = [];
    for (const { path, before, after } of await this.changedRecords(workspace, store, deadline)) {
      const rank = kind === 'customers' && areConsentsChanged(before, after) ? 'consents' : 'others';
      if (!this.hasRoom(rank)) continue;
      const example = toExample(kind, { Object: object, Line: lines.get(path) ?? null }, before, after);
      if (share.isUsedUp) await share.renew();
      if (!example) continue;
      const place = { rank, recordId: idOf(path), expireAt: previewExpiry(this.run) } as const;
      const write = toExampleWrite(runId, fileId, place, example);
      this.picked[rank].add(write.set);
      writes.push(write);
    }
    return writes;
  }

  private hasRoom(rank: ExampleRank): boolean {
    return this.picked[rank].size < MAX_EXAMPLES;
  }

  /** The records that a slice changes. Those whose content was released are read again, up to a bound. */
  private async changedRecords(
    workspace: Workspace,
    store: DocumentStore,
    deadline: Deadline,
  ): Promise<readonly ChangedRecord[]> {
    const records = `${recordsPath(this.run.tenantId, this.file.kind)}/`;
    const changes = [...workspace.changes()].filter(({ path }) => path.startsWith(records));
    const released = changes.filter(({ before }) => before === 'released').map(({ path }) => path);
    const { documents } = await store.getSome(released, MERGE_WINDOW_BYTES, deadline);
    const read = new Map(documents.map(({ path, data }) => [path, data]));
    return changes.flatMap(({ path, before, after }) => {
      if (before !== 'released') return [{ path, before, after }];
      return read.has(path) ? [{ path, before: read.get(path), after }] : [];
    });
  }
}

interface ChangedRecord {
  readonly path: string;
  readonly before: DocumentData | undefined;
  readonly after: DocumentData | undefined;
}

function areConsentsChanged(before: DocumentData | undefined, after: DocumentData | undefined): boolean {
  return CONSENTS.some((consent) => (before?.[consent] === true) !== (after?.[consent] === true));
}

/** Undefined: nothing that is shown would change. */
function toExample(
  kind: RecordKind,
  row: Pick<Example, 'Object' | 'Line'>,
  before: DocumentData | undefined,
  after: DocumentData | undefined,
): Example | undefined {
  const shown = (data: DocumentData | undefined) => (data ? (toShownRecord(kind, data) as DocumentData) : {});
  const [from, to] = [shown(before), shown(after)];
  const record = after ? to : from;
  const identifiers = IDENTIFIERS[kind].map((field) => [field, record[field]] as const);
  const sent = identifiers.filter((entry): entry is readonly [string, string] => typeof entry[1] === 'string');
  const identified = { ...row, Identifiers: Object.fromEntries(sent) };
  const fields: Record<string, Example['Fields'][string]> = {};
  const omitted: string[] = [];
  let bytes = Buffer.byteLength(JSON.stringify(identified));
  for (const field of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const change = toChange(from[field] ?? null, to[field] ?? null);
    if (!change) continue;
    const changeBytes = Buffer.byteLength(JSON.stringify({ [field]: change }));
    if (bytes + changeBytes > MAX_EXAMPLE_BYTES) {
      omitted.push(field);
      continue;
    }
    bytes += changeBytes;
    fields[field] = change;
  }
  if (Object.keys(fields).length === 0 && omitted.length === 0) return undefined;
  return { ...identified, Fields: fields, ...(omitted.length > 0 && { OmittedFields: omitted }) };
}

/** Undefined: the value stays as it is. */
function toChange(from: DocumentValue, to: DocumentValue): Example['Fields'][string] | undefined {
  if (JSON.stringify(from) === JSON.stringify(to)) return undefined;
  if (!isList(from) || !isList(to)) return { from, to };
  return { from: without(from, to), to: without(to, from) };
}

function without(values: readonly DocumentValue[], others: readonly DocumentValue[]): DocumentValue[] {
  const known = new Set(others.map((value) => JSON.stringify(value)));
  return values.filter((value) => !known.has(JSON.stringify(value)));
}
