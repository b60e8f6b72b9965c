import { MAX_BODY_DEPTH, MAX_FILE_RECORD_VALUES } from '../domain/limits';
import { CODE } from './ascii';
import type { RecordDecoder } from './record-decoder';
import { placeAfter, textOf } from './record-decoder';
import type { RawRecord } from './record-splitter';
import { isBlankRecord } from './record-splitter';
import type { Form, Row, Step } from './row';
import { badRow } from './row';

// An import is a getter at run time; a loop over bytes wants constants.
const {
  quote: QUOTE,
  comma: COMMA,
  openArray: OPEN_ARRAY,
  backslash: BACKSLASH,
  closeArray: CLOSE_ARRAY,
  openObject: OPEN_OBJECT,
  closeObject: CLOSE_OBJECT,
} = CODE;

const NOT_JSON = 'The record is not valid JSON.';
const TOO_DEEP = `The record must be nested at most ${MAX_BODY_DEPTH} levels deep.`;
const TOO_MANY_VALUES = `The record must hold at most ${MAX_FILE_RECORD_VALUES} values.`;

const LINES: Form = { of: 'lines' };
const IN_ARRAY: Form = { of: 'array', next: 'element' };
const ARRAY_END: Form = { of: 'array', next: 'end' };

/** One JSON value a record: lines of NDJSON, where blank ones are nothing, or elements of an array, where they are wrong. */
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
  const tooMuch = record.bytes && excessOf(record.bytes);
  if (tooMuch !== undefined) return badRow({ line: record.line }, tooMuch);
  try {
    return { line: record.line, record: JSON.parse(decoded.text) as unknown };
  } catch {
    return badRow({ line: record.line }, NOT_JSON); // the parser's own message would quote the tenant's data
  }
}

/** Counts nesting and values before anything is built from them; a record that is no JSON may pass. */
function excessOf(bytes: Buffer): string | undefined {
  let depth = 0;
  let values = 1;
  let isText = false;
  for (let place = 0; place < bytes.length; place += 1) {
    const byte = bytes[place];
    if (byte === QUOTE) isText = !isText;
    else if (isText) {
      if (byte === BACKSLASH) place += 1;
    } else if (byte === COMMA) values += 1;
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      depth += 1;
      values += 1;
      if (depth > MAX_BODY_DEPTH) return TOO_DEEP;
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth -= 1;
  }
  return values > MAX_FILE_RECORD_VALUES ? TOO_MANY_VALUES : undefined;
}
