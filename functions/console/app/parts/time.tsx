import { toLocalTime, toUtcTime } from '../format/times';

/** A time by the viewer's clock; in UTC for whoever points at it. */
export function Time({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={toUtcTime(at)}>
      {toLocalTime(at)}
    </time>
  );
}
