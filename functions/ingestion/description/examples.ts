/** A run as the examples show it, with a file that has a bad row. */
import { EXAMPLE_TENANT } from '../../../shared/endpoint/description/operation';
import { toShownChanges } from '../../../shared/transfers/runs/changes';
import type { RowErrorDto } from '../error-lines';
import type { RunDetailsDto } from '../find-run';
import type { FileDto } from '../list-files';
import type { RunDto } from '../run-answers';
import { toWarningDtos } from '../warning-answers';

const ROWS = { Read: 2, Stored: 1, Invalid: 1, Stale: 0, Deleted: 0 };

export const EXAMPLE_RUN: RunDto = {
  RunId: `20260301110000-${EXAMPLE_TENANT}`,
  JobId: `daily-transfer/${EXAMPLE_TENANT}`,
  Kind: 'daily',
  BucketName: 'ada-exports',
  FolderPaths: ['shop/'],
  ReplayOf: null,
  Status: 'partial',
  StartedAt: '2026-03-01T11:00:00.000Z',
  FinishedAt: '2026-03-01T11:00:05.000Z',
  Files: { Found: 1, Finished: 1, Skipped: 0, Failed: 0 },
  Rows: ROWS,
  Changes: toShownChanges({ customers: { Created: 1, EmailOptinGranted: 1 } }),
  IgnoredFields: ['EmailOptIn'],
  Warnings: toWarningDtos({
    fieldCase: {
      count: 2,
      examples: [{ object: 'shop/customers.ndjson', line: 1, field: 'EmailOptIn', expected: 'EmailOptin' }],
    },
  }),
  Error: null,
  NotificationError: null,
  TraceId: '0af7651916cd43dd8448eb211c80319c',
};

export const EXAMPLE_DETAILS: RunDetailsDto = { ...EXAMPLE_RUN, Examples: null };

export const EXAMPLE_RUNNING_RUN: RunDto = {
  ...EXAMPLE_RUN,
  RunId: `20260301100000-${EXAMPLE_TENANT}`,
  Status: 'running',
  FinishedAt: null,
  Files: { Found: 0, Finished: 0, Skipped: 0, Failed: 0 },
  Rows: { Read: 0, Stored: 0, Invalid: 0, Stale: 0, Deleted: 0 },
  Changes: toShownChanges({}),
  IgnoredFields: [],
  Warnings: [],
};

export const EXAMPLE_FILE: FileDto = {
  Object: 'shop/customers.ndjson',
  Generation: '1700000000000001',
  Updated: '2026-03-01T10:00:00.000Z',
  Size: 64,
  Kind: 'customers',
  Format: 'ndjson',
  Status: 'finished',
  Reason: null,
  Rows: ROWS,
  Error: null,
  ReadBytes: null,
};

export const EXAMPLE_ERROR: RowErrorDto = {
  Object: 'shop/customers.ndjson',
  Generation: '1700000000000001',
  Line: 2,
  Errors: { '[0].Email': ['The field Email must be an e-mail address.'] },
};

/** Ids of runs that requests start. */
export const EXAMPLE_STARTED_RUN_ID = {
  manual: '20260301120030000-manual0b1f0c5e6a7d',
  preview: '20260301120030000_preview0b1f0c5e6a7d',
  replay: '20260301120030000-replay0b1f0c5e6a7d',
} as const;
