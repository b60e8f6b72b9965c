import type { DocumentStore } from '../../shared/documents/document-store';
import { documentsAfter } from '../../shared/documents/pages';
import { idOf, runFilePath } from '../../shared/documents/paths';
import type { AnyRoute } from '../../shared/endpoint/route';
import type { ListPage, ListScope } from '../../shared/http/list-page';
import { PAGE_PARAMETERS, readChoice, readListPage, takePage } from '../../shared/http/list-page';
import type { Deadline } from '../../shared/platform/deadline';
import { PAGE_READ_DOCUMENTS } from '../../shared/limits/requests';
import { findFiles } from '../../shared/transfers/runs/view/find-files';
import type { FileStatus, RunFile } from '../../shared/transfers/runs/run';
import { fromFileDocument, NO_ROWS } from '../../shared/transfers/runs/run';
import { isFileId } from '../../shared/transfers/runs/run-id';
import type { SkippedFile, SkipReason } from '../../shared/transfers/runs/view/skipped-files';
import {
  parseSkippedFilePosition,
  skippedFilesAfter,
  toPositionText,
} from '../../shared/transfers/runs/view/skipped-files';
import type { RowsDto } from './run-answers';
import { toRowsDto } from './run-answers';
import type { StoredRun } from './run-route';
import { runRoute } from './run-route';

/** `skipped`: the run does not read it, or not to its end; its `Reason` says why. */
export const FILE_STATUSES = ['waiting', 'running', 'finished', 'failed', 'skipped'] as const;
type ShownStatus = (typeof FILE_STATUSES)[number];

export interface FileDto {
  readonly Object: string;
  readonly Generation: string;
  readonly Updated: string;
  /** Stored bytes. */
  readonly Size: number;
  /** Null, also `Format`: its name does not tell. */
  readonly Kind: string | null;
  readonly Format: string | null;
  readonly Status: ShownStatus;
  /** Why it is skipped; null in any other status. */
  readonly Reason: SkipReason | 'replaced' | 'run ended' | null;
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

/** A file in the list, and the position that its page's token holds; undefined: it is not in the status asked for. */
interface Entry {
  readonly position: string;
  readonly file: FileDto | undefined;
}

/**
 * The route that lists the files of a run, with their progress, in no order that means anything, and then those
 * that it does not read.
 */
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
        return { status, page: readListPage(query, scope, isPosition), scope };
      },
      run: async ({ runId, run }, { status, page: { limit, after }, scope }, _tenant, { deadline }) => {
        const entries = entriesAfter({ runId, run }, status, after, limit, store, deadline);
        const { items, nextPageToken } = await takePage(
          entries,
          { limit, scope, deadline },
          ({ file }) => file,
          ({ position }) => position,
        );
        return { data: { Files: items, NextPageToken: nextPageToken } };
      },
    },
    { store },
  );
}

const isPosition = (text: string) => isFileId(text) || parseSkippedFilePosition(text) !== undefined;

/** The files that the run reads, then the named ones of those that it skips. @param after a position in the list */
async function* entriesAfter(
  { runId, run }: StoredRun,
  status: ShownStatus | undefined,
  after: string | undefined,
  limit: number,
  store: DocumentStore,
  deadline: Deadline,
): AsyncGenerator<Entry> {
  const isRunning = run.status === 'running';
  const afterSkipped = after === undefined ? undefined : parseSkippedFilePosition(after);
  if (!afterSkipped) {
    const from = after === undefined ? undefined : runFilePath(runId, after);
    const atOnce = Math.min(limit + 1, PAGE_READ_DOCUMENTS); // one more tells whether there is a next page
    const statuses = status && toStoredStatuses(status, isRunning);
    const documents = documentsAfter(from, atOnce, (page) => findFiles(runId, statuses, page, store, deadline));
    for await (const document of documents) {
      const file = toFileDto(fromFileDocument(document), isRunning);
      yield { position: idOf(document.path), file: status === undefined || file.Status === status ? file : undefined };
    }
  }
  if (status !== undefined && status !== 'skipped') return;
  for await (const { position, file } of skippedFilesAfter(runId, afterSkipped, store, () => deadline)) {
    yield { position: toPositionText(position), file: toSkippedDto(file) };
  }
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
    Reason: status !== 'skipped' ? null : file.status === 'replaced' ? 'replaced' : 'run ended',
    Rows: toRowsDto(file.rows),
    Error: file.error,
    ReadBytes: status === 'running' ? file.checkpoint.offset : null,
  };
}

function toSkippedDto({ object, generation, updated, size, kind, format, reason }: SkippedFile): FileDto {
  return {
    Object: object,
    Generation: generation,
    Updated: updated.toISOString(),
    Size: size,
    Kind: kind,
    Format: format,
    Status: 'skipped',
    Reason: reason,
    Rows: toRowsDto(NO_ROWS),
    Error: null,
    ReadBytes: null,
  };
}

function toShownStatus({ status, checkpoint, rows }: RunFile, isRunning: boolean): ShownStatus {
  if (status === 'finished' || status === 'failed') return status;
  if (status === 'replaced' || !isRunning) return 'skipped';
  return checkpoint.offset > 0 || rows.read > 0 ? 'running' : 'waiting';
}
