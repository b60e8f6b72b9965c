import type { Fields, Kind } from '../fields';

/** One request's worth of records, as some system of the shop would send it. */
export interface Delivery {
  readonly kind: Kind;
  /** What it is, for the reader of the demo's output. */
  readonly title: string;
  readonly batch: readonly Fields[];
  /** What the answer's `ignoredFields` must name; absent: it must have none. */
  readonly ignoredFields?: readonly string[];
  /** Sent compressed. */
  readonly gzip?: boolean;
}

/** Cuts a long export into deliveries of at most `size` records. */
export function inParts(kind: Kind, title: string, batch: readonly Fields[], size: number): Delivery[] {
  const count = Math.ceil(batch.length / size);
  return Array.from({ length: count }, (_, part) => ({
    kind,
    title: count === 1 ? title : `${title}, part ${part + 1} of ${count}`,
    batch: batch.slice(part * size, (part + 1) * size),
  }));
}

/** Rounded to cents, as shops do. */
export function toCents(amount: number): number {
  return Math.round(amount * 100) / 100;
}
