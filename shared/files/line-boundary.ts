import { CODE } from '../ascii';
import type { Boundary, RecordEnd } from './boundary';

/** One record a line (NDJSON). A carriage return before the newline is white space to the JSON parser. */
export class LineBoundary implements Boundary {
  readonly closed = false;

  skip(_bytes: Buffer, from: number): number {
    return from;
  }

  findEnd(bytes: Buffer, from: number): RecordEnd | undefined {
    const place = bytes.indexOf(CODE.newline, from);
    return place === -1 ? undefined : { place, lines: 1 };
  }

  endOfFile(): Omit<RecordEnd, 'place'> {
    return { lines: 1 };
  }
}
