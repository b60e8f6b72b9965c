import { MAX_BODY_DEPTH, MAX_OBJECT_MEMBERS } from '../domain/limits';
import { MAX_FILE_RECORD_VALUES } from '../limits/transfers';
import { parseJson } from '../platform/json-bounds';
import type { RecordDecoder } from './record-decoder';
import { decodeText, toCheckpoint } from './record-decoder';
import type { FilePosition, RawRecord } from './record-splitter';
import { isBlankRecord } from './record-splitter';
import type { Form, Checkpoint, Row, DecodedRecord } from './row';
import { badRow } from './row';

const BOUNDS = { depth: MAX_BODY_DEPTH, values: MAX_FILE_RECORD_VALUES, members: MAX_OBJECT_MEMBERS };
// Not the parser's own messages: they would quote the tenant's data.
const MESSAGES = {
  depth: `The record must be nested at most ${MAX_BODY_DEPTH} levels deep.`,
  values: `The record must hold at most ${MAX_FILE_RECORD_VALUES} values.`,
  members: `The record must have at most ${MAX_OBJECT_MEMBERS} members in each object.`,
  syntax: 'The record is not valid JSON.',
} as const;

const LINES_FORM: Form = { of: 'lines' };
const ARRAY_FORMS = {
  first: { of: 'array', next: 'first' },
  element: { of: 'array', next: 'element' },
  end: { of: 'array', next: 'end' },
} as const;

/** Decodes one JSON value a record. A blank line of NDJSON is no row; a blank element of an array is a bad row. */
export class JsonDecoder implements RecordDecoder {
  constructor(private readonly layout: 'lines' | 'array') {}

  decode(record: RawRecord): readonly DecodedRecord[] {
    const checkpoint = this.checkpointAt(record);
    const isNoRow = (this.layout === 'lines' || record.damage !== undefined) && isBlankRecord(record);
    return [isNoRow ? { checkpoint } : { ...toRow(record), checkpoint }];
  }

  advanceTo(position: FilePosition): readonly DecodedRecord[] {
    return [{ checkpoint: this.checkpointAt(position) }];
  }

  end(): readonly DecodedRecord[] {
    return [];
  }

  private checkpointAt(position: FilePosition): Checkpoint {
    return toCheckpoint(position, this.layout === 'lines' ? LINES_FORM : ARRAY_FORMS[position.arrayNext]);
  }
}

/** Returns the record's row, and whether it is refused only for its size. */
function toRow(record: RawRecord): Pick<DecodedRecord, 'isTooLarge'> & { readonly row: Row } {
  const { line } = record;
  const decoded = decodeText(record);
  if ('why' in decoded) return { row: badRow({ line }, decoded.why), isTooLarge: record.bytes === undefined };
  const parsed = parseJson(decoded.text, decoded.bytes, BOUNDS);
  if (!('problem' in parsed)) return { row: { line, record: parsed.value } };
  return { row: badRow({ line }, MESSAGES[parsed.problem]), isTooLarge: parsed.problem !== 'syntax' };
}
