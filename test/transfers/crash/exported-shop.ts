import { gzipSync } from 'node:zlib';
import type { RecordKind } from '../../../shared/domain/identity';
import { FILE_CHUNK_BYTES } from '../../../shared/limits/transfers';
import type { FileCounts, RowCounts } from '../../../shared/transfers/runs/run';
import { addRows } from '../../../shared/transfers/runs/run';
import type { FileFormat } from '../../support/file-formats';
import { encodeRecords } from '../../support/file-formats';

/** A file to export: its content takes so many slices to read. */
export interface FileSpec {
  readonly folder: string;
  readonly kind: RecordKind;
  readonly format: FileFormat;
  readonly isGzip: boolean;
  readonly slices: number;
}

export interface ExportedFile {
  readonly object: string;
  readonly content: Buffer;
  /** With every bad row put right. */
  readonly mended: Buffer;
}

/** A shop's files, and what has to come of them. */
export interface ExportedShop {
  readonly files: readonly ExportedFile[];
  readonly folders: readonly string[];
  /** What the run of the files counts and, as `object:line`, reports. */
  readonly run: { readonly files: FileCounts; readonly rows: RowCounts; readonly report: readonly string[] };
  /** What the replay counts, once the files are mended. */
  readonly replay: { readonly files: FileCounts; readonly rows: RowCounts };
  /**
   * The same for a tenant that identifies products by Sku: of a file of products, all rows after the first bad one
   * (R-14).
   */
  readonly replayBySku: ExportedShop['replay'];
  /** Every record at the end, as `toText` gives it. */
  readonly records: readonly string[];
}

type Version = 'good' | 'older' | 'newer' | 'bad' | 'mended' | 'removed' | 'removal';

/**
 * A slice's rows, by what becomes of them. The newer state of one record comes after the older one, and a record is
 * stored before it is removed: were a slice stored again, the older one would count as stale. A customer is removed in
 * a commit of its own.
 */
const SLICE: readonly Version[] = ['older', 'removed', 'newer', 'removal', 'bad', 'good'];
const TIMES: Partial<Record<Version, object>> = {
  older: { UpdatedAt: '2020-01-01T00:00:00Z' },
  newer: { UpdatedAt: '2020-01-02T00:00:00Z' },
  removed: { UpdatedAt: '2020-01-01T00:00:00Z' },
};
const DELETED_AT = '2020-01-02T00:00:00Z';
/** Longer than any name may be. */
const BAD_NAME = 'x'.repeat(201);

/** Makes the files of a shop. A slice is as long as it has to be by a field that nobody knows, not by many rows. */
export function exportShop(specs: readonly FileSpec[]): ExportedShop {
  const files = specs.map(toFile);
  const slices = specs.reduce((sum, spec) => sum + spec.slices, 0);
  const found = { found: files.length, finished: files.length, skipped: 0, failed: 0 };
  return {
    files,
    folders: [...new Set(specs.map(({ folder }) => folder))],
    run: {
      files: found,
      rows: { read: 6 * slices, stored: 4 * slices, invalid: slices, stale: 0, deleted: slices },
      report: specs.flatMap((spec, index) => badLines(spec).map((line) => `${files[index]!.object}:${line}`)).sort(),
    },
    replay: { files: found, rows: { read: slices, stored: slices, invalid: 0, stale: 0, deleted: 0 } },
    replayBySku: { files: found, rows: specs.map(replayedBySku).reduce(addRows) },
    records: specs
      .flatMap((spec, file) =>
        slicesOf(spec).flatMap((slice) =>
          (['good', 'newer', 'mended'] as const).map((version) => toText(toRecord(spec, file, slice, version))),
        ),
      )
      .sort(),
  };
}

function replayedBySku({ kind, slices }: FileSpec): RowCounts {
  if (kind !== 'products') return { read: slices, stored: slices, invalid: 0, stale: 0, deleted: 0 };
  const read = slices * SLICE.length - SLICE.indexOf('bad');
  const deleted = slices - 1;
  const stale = 2 * (slices - 1); // each further slice has older states of what is stored, and of what was removed
  return { read, stored: read - stale - deleted, invalid: 0, stale, deleted };
}

/** What is compared of a record, stored or exported. */
export function toText(record: object): string {
  const { CustomerId, ProductId, OrderId, Name, ProductName, ProductVariants, OrderItems } = record as Fields;
  const parts = [...(ProductVariants ?? []), ...(OrderItems ?? [])];
  return JSON.stringify([ProductId, OrderId, CustomerId, Name, ProductName, parts.map(({ Sku }) => Sku)]);
}

type Fields = Partial<Record<'CustomerId' | 'ProductId' | 'OrderId' | 'Name' | 'ProductName', string>> &
  Partial<Record<'ProductVariants' | 'OrderItems', readonly { readonly Sku: string }[]>>;

function toFile(spec: FileSpec, index: number): ExportedFile {
  const { folder, kind, format, isGzip } = spec;
  const encode = (versions: readonly Version[]) => {
    const rows = slicesOf(spec).flatMap((slice) => versions.map((version) => toRow(spec, index, slice, version)));
    const text = encodeRecords(rows, format);
    return isGzip ? gzipSync(text) : Buffer.from(text);
  };
  return {
    object: `${folder}${kind}-${index}.${format}${isGzip ? '.gz' : ''}`,
    content: encode(SLICE),
    mended: encode(SLICE.map((version) => (version === 'bad' ? 'mended' : version))),
  };
}

function slicesOf({ slices }: FileSpec): number[] {
  return Array.from({ length: slices }, (_, slice) => slice);
}

/** The first line of each bad row. */
function badLines({ kind, format, ...spec }: FileSpec): number[] {
  const linesOf = (version: Version) =>
    format === 'csv' && kind === 'orders' && version !== 'removal' ? SKUS_OF_ORDER.length : 1;
  const lines = (versions: readonly Version[]) => versions.reduce((sum, version) => sum + linesOf(version), 0);
  const first = (format === 'csv' ? 2 : 1) + lines(SLICE.slice(0, SLICE.indexOf('bad'))); // after the header row
  return slicesOf({ kind, format, ...spec }).map((slice) => first + slice * lines(SLICE));
}

function toRow(spec: FileSpec, file: number, slice: number, version: Version): object {
  const isEnd = version === SLICE.at(-1) && slice < spec.slices - 1;
  if (version === 'removal') return toRemoval(toRecord(spec, file, slice, 'removed'));
  return {
    ...toRecord(spec, file, slice, version),
    ...TIMES[version],
    ...(isEnd && { Notes: '-'.repeat(FILE_CHUNK_BYTES) }),
  };
}

function toRemoval(removed: object): object {
  const { CustomerId, ProductId, OrderId } = removed as Fields;
  const id = ProductId ? { ProductId } : OrderId ? { OrderId } : { CustomerId };
  return { ...id, DeletedAt: DELETED_AT };
}

const SKUS_OF_ORDER = ['a', 'b'];

function toRecord({ kind }: FileSpec, file: number, slice: number, version: Version): object {
  const record = {
    older: 'twice',
    newer: 'twice',
    good: 'once',
    bad: 'mended',
    mended: 'mended',
    removed: 'removed',
    removal: 'removed',
  }[version];
  const id = `${file}-${slice}-${record}`;
  const name = version === 'bad' ? BAD_NAME : `${version} ${id}`;
  switch (kind) {
    case 'customers':
      return { CustomerId: id, Name: name };
    case 'products':
      return { ProductId: id, ProductName: name, ProductVariants: [{ VariantId: `v-${id}`, Sku: `s-${id}` }] };
    case 'orders': {
      const items = SKUS_OF_ORDER.map((sku) => ({ ProductId: `p-${sku}`, Sku: `${sku}-${id}`, Quantity: 1, Price: 1 }));
      return { OrderId: id, CustomerId: name, Currency: 'EUR', OrderDate: '2020-01-01T00:00:00Z', OrderItems: items };
    }
  }
}
