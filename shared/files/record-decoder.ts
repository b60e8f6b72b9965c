import { isUtf8 } from 'node:buffer';
import { MAX_FILE_RECORD_BYTES } from '../limits/transfers';
import type { FilePosition, RawRecord } from './record-splitter';
import type { Form, Checkpoint, DecodedRecord } from './row';

/** Makes rows of records: one implementation for JSON, one for CSV. */
export interface RecordDecoder {
  /** What this record completes, in order. @throws DamagedFile when nothing of the file can be decoded */
  decode(record: RawRecord): readonly DecodedRecord[];
  /** What is complete at a place that blank lines lead to, and the place, if reading can go on there. */
  advanceTo(position: FilePosition): readonly DecodedRecord[];
  /** What the end of the file completes. */
  end(): readonly DecodedRecord[];
}

/** A place as it is stored. */
export function toCheckpoint({ offset: end, nextLine, isAfterReturn, damage }: FilePosition, form: Form): Checkpoint {
  return {
    offset: end,
    line: nextLine,
    form,
    ...(isAfterReturn && { isAfterReturn }),
    ...(damage !== undefined && { damage }),
  };
}

const TOO_LONG = `The record must be at most ${MAX_FILE_RECORD_BYTES} bytes long.`;
const NOT_UTF8 = 'The record is not valid UTF-8.';

/** The record's text and its bytes; or, with `why`, the reason that there is none. */
export function decodeText({
  bytes,
  flaw,
}: RawRecord): { readonly text: string; readonly bytes: Buffer } | { readonly why: string } {
  if (bytes === undefined) return { why: TOO_LONG };
  if (flaw !== undefined) return { why: flaw };
  return isUtf8(bytes) ? { text: bytes.toString('utf8'), bytes } : { why: NOT_UTF8 };
}
