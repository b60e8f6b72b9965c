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
  /**
   * https://cloud.google.com/run/pricing, tier 1, while an instance has requests: all its CPU and memory are paid for as
   * long, whether it computes or waits.
   */
  run: { cpuSecond: 0.000024, gibSecond: 0.0000025, request: 0.4 / 1_000_000 },
  /** https://cloud.google.com/stackdriver/pricing: $0.50 a GiB of log. */
  logging: { byte: 0.5 / 2 ** 30 },
} as const;

/** Memory of an instance, in GiB (terraform/functions.tf; `deletion-consumer` and `ingestion` have half of it). */
export const INSTANCE_GIB = 1;

/** Bytes of log that the platform writes for a request: an assumption. A load balancer writes as much again. */
export const REQUEST_LOG_BYTES = 1_536;

/** What a number of records needs. */
export interface Consumption {
  readonly reads: number;
  readonly writes: number;
  readonly deletes: number;
  /** Writes whose condition did not hold. */
  readonly refused: number;
  /** Publishes and pushes. */
  readonly messages: number;
  /** Of the processes; not what is paid for, but how busy an instance is while it is. */
  readonly cpuSeconds: number;
  /** How long requests took, waiting for the database included, as if no two of them shared an instance. */
  readonly instanceSeconds: number;
  readonly requests: number;
}

/**
 * The price in US dollars. A refused write is priced as a read: the price list does not name it, and it has to read the
 * document.
 */
export function priceOf(consumption: Consumption): number {
  const { reads, writes, deletes, refused, messages, instanceSeconds, requests } = consumption;
  const { firestore, pubsub, run, logging } = LIST_PRICES;
  return (
    (reads + refused) * firestore.read +
    writes * firestore.write +
    deletes * firestore.delete +
    messages * pubsub.message +
    instanceSeconds * (run.cpuSecond + INSTANCE_GIB * run.gibSecond) +
    requests * (run.request + REQUEST_LOG_BYTES * logging.byte)
  );
}
