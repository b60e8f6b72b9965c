import { toCount } from '../format/numbers';

interface CountProps {
  /** Undefined: it is not known. */
  readonly count: number | undefined;
  /** What draws the eye where it is not zero. */
  readonly isBad?: boolean;
}

/** A number in a table. */
export function Count({ count, isBad = false }: CountProps) {
  if (count === undefined) return <>–</>;
  return <span class={isBad && count > 0 ? 'bad' : undefined}>{toCount(count)}</span>;
}
