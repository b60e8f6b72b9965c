import { isUtf8 } from 'node:buffer';
import { MAX_FILE_RECORD_BYTES } from '../limits/transfers';
import type { FilePosition, RawRecord } from './record-splitter';
import type { Form, Checkpoint, DecodedRecord } from './row';

/** Turns records into rows. One implementation is for JSON, one for CSV. */
export interface RecordDecoder {
  /**
   * Decodes a record. Returns what it completes, in the order of the file: nothing while a CSV group is still open.
   * @throws DamagedFile when nothing of the file can be decoded
   */
  decode(record: RawRecord): readonly DecodedRecord[];
  /**
   * Notes that reading has come to a position past the last record, maybe over blank lines. Returns what is complete
   * there, and a checkpoint if reading can continue from it.
   */
  advanceTo(position: FilePosition): readonly DecodedRecord[];
  /** Returns what the end of the file completes. */
  end(): readonly DecodedRecord[];
}

/** Turns a position into the value that is stored. */
export function toCheckpoint(
  { offset, nextLine, isAfterReturn, encoding, damage }: FilePosition,
  form: Form,
): Checkpoint {
  return {
    offset,
    line: nextLine,
    form,
    ...(isAfterReturn && { isAfterReturn }),
    ...(encoding && { encoding }),
    ...(damage !== undefined && { damage }),
  };
}

const TOO_LONG = `The record must be at most ${MAX_FILE_RECORD_BYTES} bytes long.`;
const NOT_UTF8 = 'The record is not valid UTF-8.';
const NOT_UTF16 = 'The record is not valid UTF-16.';

/** Returns the record's text with its bytes, or in `why` the error message if it has none. */
export function decodeText({
  bytes,
  flaw,
  encoding,
}: RawRecord): { readonly text: string; readonly bytes: Buffer } | { readonly why: string } {
  if (bytes === undefined) return { why: TOO_LONG };
  if (flaw !== undefined) return { why: flaw };
  return isUtf8(bytes) ? { text: bytes.toString('utf8'), bytes } : { why: encoding ? NOT_UTF16 : NOT_UTF8 };
}
