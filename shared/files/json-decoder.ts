import { MAX_BODY_DEPTH, MAX_FILE_RECORD_VALUES } from '../domain/limits';
import { parseJson } from '../json-bounds';
import type { RecordDecoder } from './record-decoder';
import { placeAfter, textOf } from './record-decoder';
import type { RawRecord } from './record-splitter';
import { isBlankRecord } from './record-splitter';
import type { Form, Row, Step } from './row';
import { badRow } from './row';

const BOUNDS = { depth: MAX_BODY_DEPTH, values: MAX_FILE_RECORD_VALUES };
// In our words: the parser's own message would quote the tenant's data.
const PROBLEM = {
  depth: `The record must be nested at most ${MAX_BODY_DEPTH} levels deep.`,
  values: `The record must hold at most ${MAX_FILE_RECORD_VALUES} values.`,
  syntax: 'The record is not valid JSON.',
} as const;

const LINES: Form = { of: 'lines' };
const IN_ARRAY: Form = { of: 'array', next: 'element' };
const ARRAY_END: Form = { of: 'array', next: 'end' };

/**
 * One JSON value a record: lines of NDJSON, where blank ones are nothing, or elements of an array, where they are
 * wrong.
 */
export class JsonDecoder implements RecordDecoder {
  constructor(private readonly layout: 'lines' | 'array') {}

  decode(record: RawRecord): readonly Step[] {
    const resume = placeAfter(record, this.formAfter(record));
    const isNothing = (this.layout === 'lines' || record.damage !== undefined) && isBlankRecord(record);
    return [isNothing ? { resume } : { row: toRow(record), resume }];
  }

  end(): readonly Step[] {
    return [];
  }

  private formAfter(record: RawRecord): Form {
    if (this.layout === 'lines') return LINES;
    return record.closed ? ARRAY_END : IN_ARRAY;
  }
}

function toRow(record: RawRecord): Row {
  const decoded = textOf(record);
  if ('why' in decoded) return badRow({ line: record.line }, decoded.why);
  const parsed = parseJson(decoded.text, decoded.bytes, BOUNDS);
  return 'problem' in parsed
    ? badRow({ line: record.line }, PROBLEM[parsed.problem])
    : { line: record.line, record: parsed.value };
}
