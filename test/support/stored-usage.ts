/** What every tenant of a `TestService` has of counters: an hour of requests as an instance stored it, and a run. */
import type { DocumentChange } from '../../shared/documents/document-store';
import type { UsageCounts } from '../../shared/domain/usage';
import { NO_USAGE, TRANSFERS_ROUTE } from '../../shared/domain/usage';
import { toUsageWrite } from '../../shared/usage/usage-documents';
import { storedRunId } from './stored-run';

const KEY_ID = 'key_1a2b3c4d5e6f7a8b';
const UPSERTS: UsageCounts = { ...NO_USAGE, requests: 2, records: 1000, rejected: 1, errors: 1 };
const ROWS: UsageCounts = { ...NO_USAGE, records: 120, rejected: 3 };

/** The writes that store them. */
export function storedUsage(tenantId: string): DocumentChange[] {
  const upserts = {
    hourMs: Date.parse('2026-03-01T10:00:00Z'),
    keyId: KEY_ID,
    route: 'upsertCustomers',
    counts: UPSERTS,
  };
  const rows = { hourMs: Date.parse('2026-03-01T11:00:00Z'), keyId: null, route: TRANSFERS_ROUTE, counts: ROWS };
  return [toUsageWrite(tenantId, 'instance', [upserts]), toUsageWrite(tenantId, storedRunId(tenantId), [rows])];
}

/** The query of the two hours, and what it shows. */
export const USAGE_QUERY = 'from=2026-03-01T10:00:00Z&to=2026-03-01T12:00:00Z';
export const STORED_USAGE_DTO = {
  from: '2026-03-01T10:00:00.000Z',
  to: '2026-03-01T12:00:00.000Z',
  step: 'hour',
  totals: { ...NO_USAGE, requests: 2, records: 1120, rejected: 4, errors: 1 },
  steps: [
    { time: '2026-03-01T10:00:00.000Z', ...UPSERTS },
    { time: '2026-03-01T11:00:00.000Z', ...ROWS },
  ],
  keys: [{ keyId: KEY_ID, ...UPSERTS }],
  routes: [
    { route: 'upsertCustomers', ...UPSERTS },
    { route: TRANSFERS_ROUTE, ...ROWS },
  ],
};
