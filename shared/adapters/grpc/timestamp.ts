/** `google.protobuf.Timestamp`. */
import type { WireReader } from './wire-reader';
import type { WireWriter } from './wire-writer';

const Timestamp = { seconds: 1, nanos: 2 } as const;

/** A moment: seconds since 1970 in UTC, and nanoseconds after them. */
export interface Time {
  readonly seconds: number;
  readonly nanos: number;
}

export function encodeTimestamp(out: WireWriter, field: number, { seconds, nanos }: Time): void {
  const timestamp = out.open(field);
  out.integer(Timestamp.seconds, seconds);
  out.integer(Timestamp.nanos, nanos);
  out.close(timestamp);
}

export function decodeTimestamp(reader: WireReader): Time {
  let seconds = 0;
  let nanos = 0;
  for (const end = reader.message(); reader.hasMore(end);) {
    switch (reader.field()) {
      case Timestamp.seconds:
        seconds = reader.integer();
        break;
      case Timestamp.nanos:
        nanos = reader.integer();
        break;
      default:
        reader.skip();
    }
  }
  return { seconds, nanos };
}
