/**
 * Latencies of the real services, as a function meets them in its own region. No published figures give them for every
 * call, so these are assumptions, with the median and the 99th percentile of each: a read of Firestore takes about 10
 * ms, a commit 20 to 30, as those who run it report; a transaction's begin and rollback touch no document; a message is
 * published, and an object begins to arrive, within some tens of milliseconds. What is compared meets the same ones.
 */
import type { Random } from '../../../shared/platform/random';

/** In milliseconds. */
export interface Latency {
  readonly median: number;
  readonly p99: number;
}

const READ: Latency = { median: 10, p99: 45 };
const COMMIT: Latency = { median: 25, p99: 100 };

/** By the gRPC method. */
const OF_METHOD: Readonly<Record<string, Latency>> = {
  BatchGetDocuments: READ,
  RunQuery: READ,
  RunAggregationQuery: READ,
  ListDocuments: READ,
  Commit: COMMIT,
  BatchWrite: COMMIT,
  BeginTransaction: { median: 6, p99: 25 },
  Rollback: { median: 6, p99: 25 },
  Publish: { median: 15, p99: 60 },
};

/** Of a request to Cloud Storage, until its answer begins. */
export const STORAGE: Latency = { median: 40, p99: 200 };

/** The 99th percentile of the standard normal distribution. */
const Z99 = 2.326;

/** Draws latencies, log-normal as those of services are: few are far above the median, none below zero. */
export class LatencyModel {
  constructor(private readonly random: Random) {}

  /** @returns milliseconds; 0 for a call that is not known */
  drawFor(method: string): number {
    const latency = OF_METHOD[method];
    return latency ? this.draw(latency) : 0;
  }

  draw({ median, p99 }: Latency): number {
    return median * Math.exp((Math.log(p99 / median) / Z99) * this.drawNormal());
  }

  /** By Box and Muller. */
  private drawNormal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.random.fraction()));
    return radius * Math.cos(2 * Math.PI * this.random.fraction());
  }
}
