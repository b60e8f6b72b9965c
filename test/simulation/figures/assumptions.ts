/** What nobody has measured: how tenants use the service. Each says what it rests on. */
import { PLAN_PAGE_OBJECTS } from '../../../shared/limits/transfers';

export const ASSUMED = {
  /** Records of a tenant in a day, on average: 100 thousand tenants make the billion. */
  recordsOfTenant: 10_000,
  /**
   * Tenants differ as shops do: the logarithm of their records is normal, with this deviation. Half of them send less
   * than a third of the average.
   */
  sizeDeviation: 1.5,
  /** Half of the records come in files, half over HTTP. */
  fileShare: 0.5,
  /** Of those in files so many with the daily export, and the others with the hourly ones in equal parts. */
  dailyShare: 0.75,
  /** Rows of one file, at most: larger exports are cut, as exporters do. */
  rowsOfFile: 100_000,
  /** Files that lie in a tenant's folder when a run looks: a month of daily ones. They fit one page of planning. */
  filesInFolder: Math.min(30, PLAN_PAGE_OBJECTS),
  /** Records of a batch, and how far the peak is above the average, as terraform/README.md assumes ("The bill"). */
  recordsOfBatch: 100,
  peakFactor: 10,
  /** What the records over HTTP are. */
  shareOfKind: { customers: 0.5, orders: 0.3, products: 0.2 },
  /** Reads of a record that is stored already: customers are written without being read (docs/speed.md). */
  readsOfKnown: { customers: 0, orders: 1, products: 1 },
  /** Exports repeat what they have sent before. */
  filesAreKnown: true,
  /** Deletions for each record that is sent. */
  deletionsPerRecord: 1 / 1_000,
  /** Bytes of a stored record with its overhead, and days of different ones that are stored (terraform/README.md). */
  storedBytes: 1_536,
  storedDays: 10,
} as const;
