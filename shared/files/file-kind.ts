/** Derives from an object's name what it holds (D-50, D-51). */
import type { RecordKind } from '../domain/identity';
import { RECORD_KINDS } from '../domain/identity';

/** `json` is an array, or one record a line. The content decides which. */
export const FILE_FORMATS = ['ndjson', 'json', 'csv', 'avro', 'parquet'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

export interface FileKind {
  readonly kind: RecordKind;
  readonly format: FileFormat;
  /** Whether the content may be gzip, in one or two layers. `inflate` looks at the bytes. */
  readonly gzip: boolean;
  /** Whether it is the only entry of a ZIP archive. */
  readonly zip?: true;
}

const FORMAT_BY_EXTENSION: Readonly<Record<string, FileFormat>> = {
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  json: 'json',
  csv: 'csv',
  avro: 'avro',
  parquet: 'parquet',
};
const FILE_NAME = /\.(ndjson|jsonl|json|csv|avro|parquet)(\.gz|\.zip)?$/;
/** Supported content codings → whether they are gzip. A Map: names from outside may be those of object members. */
const IS_GZIP_BY_CODING: ReadonlyMap<string, boolean> = new Map([
  ['', false],
  ['identity', false],
  ['gzip', true],
  ['x-gzip', true],
]);

/**
 * Derives a file's kind from its name. Undefined: a transfer does not read the file; it is skipped and counted (D-50).
 * This includes every `Content-Encoding` but gzip and identity.
 * @example parseFileKind('exports/Orders/2026-01-31.csv.gz') // { kind: 'orders', format: 'csv', gzip: true }
 */
export function parseFileKind(objectName: string, contentEncoding?: string | null): FileKind | undefined {
  const segments = objectName.toLowerCase().split('/');
  const form = parseFileForm(objectName, contentEncoding);
  const kind = nearestKind(segments);
  return form && kind && { kind, ...form };
}

/** Derives a file's format from its name, whatever the file holds. Undefined: it has none that is read. */
export function parseFileForm(objectName: string, contentEncoding?: string | null): Omit<FileKind, 'kind'> | undefined {
  const [, extension = '', packing] = FILE_NAME.exec(objectName.toLowerCase().split('/').at(-1) ?? '') ?? [];
  const format = FORMAT_BY_EXTENSION[extension];
  const codings = (contentEncoding ?? '')
    .split(',')
    .map((coding) => IS_GZIP_BY_CODING.get(coding.trim().toLowerCase()));
  const isGzip = packing === '.gz' || codings.includes(true);
  const isZip = packing === '.zip';
  if (format === undefined || codings.includes(undefined)) return undefined;
  // The end of an archive, or of a Parquet file, cannot be looked at before the whole of its other coding is inflated.
  if ((isGzip && isZip) || (format === 'parquet' && (isGzip || isZip))) return undefined;
  return { format, gzip: isGzip, ...(isZip && { zip: true }) };
}

/** Returns the kind that a segment of the path begins with. The file's own name comes first, then its folders. */
function nearestKind(segments: readonly string[]): RecordKind | undefined {
  for (const segment of segments.toReversed()) {
    const kind = RECORD_KINDS.find((name) => segment.startsWith(name));
    if (kind !== undefined) return kind;
  }
  return undefined;
}
