/** List prices in US dollars, without free quotas, discounts, storage and traffic. */
export const LIST_PRICES = {
  /** When they were looked up. */
  date: '2026-11-21',
  /**
   * Documents; https://firebase.google.com/docs/firestore/pricing, location Oregon (multi-region US: twice as much).
   */
  firestore: { read: 0.03 / 100_000, write: 0.09 / 100_000, delete: 0.01 / 100_000 },
  /** https://cloud.google.com/pubsub/pricing: $40 a TiB; a publish or a push counts as at least 1,000 bytes. */
  pubsub: { message: (40 / 2 ** 40) * 1_000 },
  /** https://cloud.google.com/run/pricing, tier 1, CPU only while a request is processed. */
  run: { cpuSecond: 0.000024, request: 0.4 / 1_000_000 },
} as const;

/** What a number of records needs. */
export interface Consumption {
  readonly reads: number;
  readonly writes: number;
  readonly deletes: number;
  /** Writes whose condition did not hold. */
  readonly refused: number;
  /** Publishes and pushes. */
  readonly messages: number;
  readonly cpuSeconds: number;
  readonly requests: number;
}

/**
 * The price in US dollars. A refused write is priced as a read: the price list does not name it, and it has to read the
 * document.
 */
export function priceOf({ reads, writes, deletes, refused, messages, cpuSeconds, requests }: Consumption): number {
  const { firestore, pubsub, run } = LIST_PRICES;
  return (
    (reads + refused) * firestore.read +
    writes * firestore.write +
    deletes * firestore.delete +
    messages * pubsub.message +
    cpuSeconds * run.cpuSecond +
    requests * run.request
  );
}
