/**
 * The runs that every tenant of a `TestService` has: a daily one that has ended, with a file that has a bad row, and
 * one before it that still runs.
 */
import type { DocumentWrite } from '../../shared/documents/document-store';
import { runFilePath, runPath, runReportPath } from '../../shared/documents/paths';
import type { RecurringTransfer } from '../../shared/domain/transfer';
import { recurringJobId, toTrigger } from '../../shared/domain/transfer';
import { parseTenantId } from '../../shared/domain/tenant';
import type { Warnings } from '../../shared/domain/warnings/warning';
import { FILE_START } from '../../shared/files/row';
import type { ReportedRow } from '../../shared/transfers/runs/report';
import type { Run, RunFile } from '../../shared/transfers/runs/run';
import { fileIdOf, toFileDocument, toRunDocument } from '../../shared/transfers/runs/run';

import { NEXT_RUN } from './recording-fakes';
import { TRACE, TRACEPARENT } from './traces';

export const RUN_BUCKET = 'ada-exports';
export const RUN_OBJECT = 'shop/customers.ndjson';
const GENERATION = '1700000000000001';
const EXPIRE_AT = new Date('2026-05-30T11:00:05.000Z');
const CHANGES = { Created: 1, EmailOptinGranted: 1 };
const WARNINGS: Warnings = {
  fieldCase: { count: 2, examples: [{ object: RUN_OBJECT, line: 1, field: 'EmailOptIn', expected: 'EmailOptin' }] },
};
const ROWS = { read: 2, stored: 1, invalid: 1, stale: 0, deleted: 0 };

/** The id of the run; a tenant id in any case gives the same. */
export const storedRunId = (tenantId: string) => `20260301110000-${tenantId.toLowerCase()}`;

/** The id of the run that still runs. */
export const runningRunId = (tenantId: string) => `20260301100000-${tenantId.toLowerCase()}`;

/** The run, which a test may change. */
export function aRun(tenantId: string, changes: Partial<Run> = {}): Run {
  return {
    tenantId,
    jobId: recurringJobId('daily', parseTenantId(tenantId)!),
    bucketName: RUN_BUCKET,
    folderPaths: ['shop/'],
    takesAll: false,
    traceparent: TRACEPARENT,
    status: 'partial',
    startedAt: new Date('2026-03-01T11:00:00.000Z'),
    finishedAt: new Date('2026-03-01T11:00:05.000Z'),
    isPlanned: true,
    error: null,
    expireAt: EXPIRE_AT,
    files: { found: 1, finished: 1, skipped: 0, failed: 0 },
    rows: ROWS,
    changes: { customers: CHANGES },
    ignoredFields: ['EmailOptIn'],
    warnings: WARNINGS,
    ...changes,
  };
}

/** The run as it is before it has ended. */
export function aRunningRun(tenantId: string): Run {
  const {
    files: _,
    rows: _rows,
    changes: _changes,
    ignoredFields: _fields,
    warnings: _warnings,
    ...run
  } = aRun(tenantId);
  return { ...run, status: 'running', finishedAt: null };
}

/** Its file, which a test may change. */
export function aRunFile(changes: Partial<RunFile> = {}): RunFile {
  return {
    object: RUN_OBJECT,
    generation: GENERATION,
    updated: new Date('2026-03-01T10:00:00.000Z'),
    size: 64,
    kind: 'customers',
    format: 'ndjson',
    gzip: false,
    status: 'finished',
    checkpoint: { ...FILE_START, offset: 64 },
    done: 0,
    rows: ROWS,
    changes: CHANGES,
    error: null,
    expireAt: EXPIRE_AT,
    ...changes,
  };
}

export function putRun(runId: string, run: Run): DocumentWrite & { readonly set: string } {
  return { set: runPath(runId), data: toRunDocument(run) };
}

export function putFile(runId: string, file: RunFile): DocumentWrite & { readonly set: string } {
  return { set: runFilePath(runId, fileIdOf(RUN_BUCKET, file.object, file.generation)), data: toFileDocument(file) };
}

/** The object of a report, as the runner writes it. */
export function aReport(
  {
    runId,
    object,
    generation = GENERATION,
  }: { readonly runId: string; readonly object: string; readonly generation?: string },
  rows: readonly ReportedRow[],
): { readonly name: string; readonly content: string; readonly write: DocumentWrite & { readonly set: string } } {
  const line = String(rows[0]?.line ?? 0).padStart(15, '0');
  const reportId = `${fileIdOf(RUN_BUCKET, object, generation)}.${line}`;
  const name = `runs/${runId}/${reportId}.r1.ndjson`;
  const lines = [{ object, generation }, ...rows].map((row) => JSON.stringify(row));
  const data = { name, generation: '1', expireAt: EXPIRE_AT };
  return { name, content: [...lines, ''].join('\n'), write: { set: runReportPath(runId, reportId), data } };
}

/** The report of a tenant's run: one bad row. */
export function storedReport(tenantId: string) {
  const messages = { '[0].Email': ['The field Email must be an e-mail address.'] };
  return aReport({ runId: storedRunId(tenantId), object: RUN_OBJECT }, [{ line: 2, messages }]);
}

/** The bad row as its tenant sees it. */
export function storedErrorDto() {
  const errors = { '[0].Email': ['The field Email must be an e-mail address.'] };
  return { Object: RUN_OBJECT, Generation: GENERATION, Line: 2, Errors: errors };
}

/** The writes that store the runs of a tenant. */
export function storedRun(tenantId: string): (DocumentWrite & { readonly set: string })[] {
  const runId = storedRunId(tenantId);
  return [
    putRun(runningRunId(tenantId), aRunningRun(tenantId)),
    putRun(runId, aRun(tenantId)),
    putFile(runId, aRunFile()),
    storedReport(tenantId).write,
  ];
}

const NO_RECORDS = { Created: 0, Updated: 0, Unchanged: 0, Deleted: 0 };
export const NO_CONSENTS = { Granted: 0, Withdrawn: 0, KeptWithdrawn: 0, Erased: 0 };

/** The changes of a run of customers as they are shown, with zeros for what is left out. */
export function changesDto(customers: Partial<typeof NO_RECORDS> = {}, consents: object = {}) {
  const none = {
    EmailOptin: NO_CONSENTS,
    SmsOptin: NO_CONSENTS,
    WhatsappOptin: NO_CONSENTS,
    AppPushOptin: NO_CONSENTS,
    GdprOptin: NO_CONSENTS,
  };
  return {
    Customers: { ...NO_RECORDS, ...customers, Consents: { ...none, ...consents } },
    Products: NO_RECORDS,
    Orders: NO_RECORDS,
  };
}

/** The run as its tenant sees it. */
export function storedRunDto(tenantId: string) {
  return {
    RunId: storedRunId(tenantId),
    JobId: `daily-transfer/${tenantId}`,
    Kind: 'daily',
    BucketName: RUN_BUCKET,
    FolderPaths: ['shop/'],
    ReplayOf: null,
    Status: 'partial',
    StartedAt: '2026-03-01T11:00:00.000Z',
    FinishedAt: '2026-03-01T11:00:05.000Z',
    Files: { Found: 1, Finished: 1, Skipped: 0, Failed: 0 },
    Rows: { Read: 2, Stored: 1, Invalid: 1, Stale: 0, Deleted: 0 },
    Changes: changesDto({ Created: 1 }, { EmailOptin: { ...NO_CONSENTS, Granted: 1 } }),
    IgnoredFields: ['EmailOptIn'],
    Warnings: [
      {
        Code: 'fieldCase',
        Message: expect.stringContaining('upper and lower case') as string,
        Count: 2,
        Examples: [{ Object: RUN_OBJECT, Line: 1, Field: 'EmailOptIn', Expected: 'EmailOptin' }],
      },
    ],
    Error: null,
    NotificationError: null,
    TraceId: TRACE.traceId,
  };
}

/** The run that still runs, as its tenant sees it. */
export function runningRunDto(tenantId: string) {
  return {
    ...storedRunDto(tenantId),
    RunId: runningRunId(tenantId),
    Status: 'running',
    FinishedAt: null,
    Files: { Found: 0, Finished: 0, Skipped: 0, Failed: 0 },
    Rows: { Read: 0, Stored: 0, Invalid: 0, Stale: 0, Deleted: 0 },
    Changes: changesDto(),
    IgnoredFields: [],
    Warnings: [],
  };
}

/** Its file as its tenant sees it. */
export function storedFileDto() {
  return {
    Object: RUN_OBJECT,
    Generation: GENERATION,
    Updated: '2026-03-01T10:00:00.000Z',
    Size: 64,
    Kind: 'customers',
    Format: 'ndjson',
    Status: 'finished',
    Reason: null,
    Rows: { Read: 2, Stored: 1, Invalid: 1, Stale: 0, Deleted: 0 },
    Error: null,
    ReadBytes: null,
  };
}

/** The daily transfer whose run it is. */
export function storedJob(tenantId: string): RecurringTransfer {
  const id = parseTenantId(tenantId)!;
  const options = { TenantId: tenantId, BucketName: RUN_BUCKET, DataFolderPaths: ['shop/'] };
  return { trigger: toTrigger('daily', id, recurringJobId('daily', id), options), schedule: '0 3 * * *' };
}

/** The daily transfer as its tenant sees it. */
export function storedTransferDto(tenantId: string) {
  return {
    JobId: `daily-transfer/${tenantId}`,
    Kind: 'daily',
    BucketName: RUN_BUCKET,
    DataFolderPaths: ['shop/'],
    Schedule: '0 3 * * *',
    TimeZone: 'Etc/UTC',
    NextRunAt: NEXT_RUN,
    LastRun: storedRunDto(tenantId),
  };
}
