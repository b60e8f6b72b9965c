/** Customers identified by numbers, as files, and the counts of runs that read them. */
import { UNIT_BYTES } from '../../shared/limits/transfers';
import { encodeRecords } from '../support/file-formats';

/** Of a tenant with large files of customers without e-mail addresses: for a query the emulator reads all of them. */
export const KNOWN_BY_ID = { customerIdentifier: 'customerid' } as const;

/** Customers `from` to `to`, each identified by its number. */
export const customers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => ({
    CustomerId: `c${from + index}`,
    Name: `Name, "${from + index}" é`,
    EmailOptin: (from + index) % 2 === 0,
  }));

export const ndjson = (records: readonly object[]) => encodeRecords(records, 'ndjson');

/** A file that is too large to share a unit. */
export const ofOwnUnit = (records: readonly object[]) => ndjson(records) + '\n'.repeat(UNIT_BYTES);

/** A line that no validation accepts. */
export const BAD_LINE = '{"CustomerId":"bad","EmailOptin":"yes"}\n';

export const noFiles = { found: 0, finished: 0, skipped: 0, failed: 0 };
export const finished = (count: number) => ({ found: count, finished: count, skipped: 0, failed: 0 });
export const stored = (count: number) => ({ read: count, stored: count, invalid: 0, stale: 0, deleted: 0 });
