/** What an object of a tenant's bucket holds, told by its name (D-50, D-51). */
import type { RecordKind } from '../domain/identity';
import { RECORD_KINDS } from '../domain/identity';

/** `json`: an array, or one record a line; the content tells which. */
export type FileFormat = 'ndjson' | 'json' | 'csv';

export interface FileKind {
  readonly kind: RecordKind;
  readonly format: FileFormat;
  /** The content may be gzip, in one or two layers: see `inflate`, which looks at the bytes. */
  readonly gzip: boolean;
}

const FORMATS: Readonly<Record<string, FileFormat>> = { ndjson: 'ndjson', jsonl: 'ndjson', json: 'json', csv: 'csv' };
const FILE_NAME = /\.(ndjson|jsonl|json|csv)(\.gz)?$/;
/** Content codings that can be read → whether they are gzip. A map, because the name comes from outside. */
const CODINGS: ReadonlyMap<string, boolean> = new Map([
  ['', false],
  ['identity', false],
  ['gzip', true],
  ['x-gzip', true],
]);

/**
 * Tells a file's kind; undefined: it is none that a transfer reads (skipped and counted, D-50), which includes every
 * `Content-Encoding` but gzip.
 * @example parseFileKind('exports/Orders/2026-01-31.csv.gz') // { kind: 'orders', format: 'csv', gzip: true }
 */
export function parseFileKind(objectName: string, contentEncoding?: string | null): FileKind | undefined {
  const segments = objectName.toLowerCase().split('/');
  const [, extension = '', gz] = FILE_NAME.exec(segments.at(-1) ?? '') ?? [];
  const format = FORMATS[extension];
  const kind = nearestKind(segments);
  const codings = (contentEncoding ?? '').split(',').map((coding) => CODINGS.get(coding.trim().toLowerCase()));
  if (format === undefined || kind === undefined || codings.includes(undefined)) return undefined;
  return { kind, format, gzip: gz !== undefined || codings.includes(true) };
}

/** The kind that the nearest segment names, from the file's name upwards. */
function nearestKind(segments: readonly string[]): RecordKind | undefined {
  for (const segment of segments.toReversed()) {
    const kind = RECORD_KINDS.find((name) => segment.startsWith(name));
    if (kind !== undefined) return kind;
  }
  return undefined;
}
