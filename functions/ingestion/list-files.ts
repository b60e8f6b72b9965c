import type { DocumentStore } from '../../shared/documents/document-store';
import { documentsAfter } from '../../shared/documents/pages';
import { idOf, runFilePath } from '../../shared/documents/paths';
import type { AnyRoute } from '../../shared/endpoint/route';
import type { ListPage, ListScope } from '../../shared/http/list-page';
import { PAGE_PARAMETERS, readChoice, readListPage, takePage } from '../../shared/http/list-page';
import { PAGE_READ_DOCUMENTS } from '../../shared/limits/requests';
import { findFiles } from '../../shared/transfers/runs/view/find-files';
import type { FileStatus, RunFile } from '../../shared/transfers/runs/run';
import { fromFileDocument } from '../../shared/transfers/runs/run';
import { isFileId } from '../../shared/transfers/runs/run-id';
import type { RowsDto } from './run-answers';
import { toRowsDto } from './run-answers';
import { runRoute } from './run-route';

/** `skipped`: its generation was replaced, or the run has ended, before it was read to its end. */
export const FILE_STATUSES = ['waiting', 'running', 'finished', 'failed', 'skipped'] as const;
type ShownStatus = (typeof FILE_STATUSES)[number];

export interface FileDto {
  readonly Object: string;
  readonly Generation: string;
  readonly Updated: string;
  /** Stored bytes. */
  readonly Size: number;
  readonly Kind: string;
  readonly Format: string;
  readonly Status: ShownStatus;
  /** Those so far of a running file. */
  readonly Rows: RowsDto;
  readonly Error: string | null;
  /** Bytes, inflated, up to which a running file is stored; null in any other status. */
  readonly ReadBytes: number | null;
}

interface FileQuery {
  readonly status: ShownStatus | undefined;
  readonly page: ListPage;
  readonly scope: ListScope;
}

/** The route that lists the files of a run, with their progress, in no order that means anything. */
export function fileListRoute({ store }: { readonly store: DocumentStore }): AnyRoute {
  return runRoute<FileQuery>(
    {
      operationId: 'listRunFiles',
      method: 'GET',
      path: '/files',
      query: ['status', ...PAGE_PARAMETERS],
      successMessage: 'Files found.',
      failureMessage: 'Failed to find files.',
      readQuery: (query, runId) => {
        const status = readChoice(query, 'status', FILE_STATUSES);
        const scope = ['files', runId, status];
        return { status, page: readListPage(query, scope, isFileId), scope };
      },
      run: async ({ runId, run }, { status, page: { limit, after }, scope }, _tenant, { deadline }) => {
        const from = after === undefined ? undefined : runFilePath(runId, after);
        const atOnce = Math.min(limit + 1, PAGE_READ_DOCUMENTS); // one more tells whether there is a next page
        const isRunning = run.status === 'running';
        const statuses = status && toStoredStatuses(status, isRunning);
        const documents = documentsAfter(from, atOnce, (page) => findFiles(runId, statuses, page, store, deadline));
        const { items, nextPageToken } = await takePage(
          documents,
          { limit, scope, deadline },
          (document) => {
            const file = toFileDto(fromFileDocument(document), isRunning);
            return status === undefined || file.Status === status ? file : undefined;
          },
          ({ path }) => idOf(path),
        );
        return { data: { Files: items, NextPageToken: nextPageToken } };
      },
    },
    { store },
  );
}

/** The stored statuses that files in a shown status can have. */
function toStoredStatuses(status: ShownStatus, isRunning: boolean): readonly FileStatus[] {
  if (status === 'finished' || status === 'failed') return [status];
  if (status === 'skipped') return isRunning ? ['replaced'] : ['replaced', 'pending'];
  return isRunning ? ['pending'] : [];
}

/** @param isRunning whether the file's run is running */
function toFileDto(file: RunFile, isRunning: boolean): FileDto {
  const status = toShownStatus(file, isRunning);
  return {
    Object: file.object,
    Generation: file.generation,
    Updated: file.updated.toISOString(),
    Size: file.size,
    Kind: file.kind,
    Format: file.format,
    Status: status,
    Rows: toRowsDto(file.rows),
    Error: file.error,
    ReadBytes: status === 'running' ? file.checkpoint.offset : null,
  };
}

function toShownStatus({ status, checkpoint, rows }: RunFile, isRunning: boolean): ShownStatus {
  if (status === 'finished' || status === 'failed') return status;
  if (status === 'replaced' || !isRunning) return 'skipped';
  return checkpoint.offset > 0 || rows.read > 0 ? 'running' : 'waiting';
}
