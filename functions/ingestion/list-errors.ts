import type { DocumentStore } from '../../shared/documents/document-store';
import type { AnyRoute } from '../../shared/endpoint/route';
import { presentOrNull } from '../../shared/domain/values/text';
import type { StreamedSuccess, Success } from '../../shared/http/answer';
import type { ListPage, ListScope, ReadQuery } from '../../shared/http/list-page';
import { PAGE_PARAMETERS, readListPage, takePage } from '../../shared/http/list-page';
import { errorsNotKept, unpagedStream } from '../../shared/http/problems';
import { STREAM_OBJECTS_AT_ONCE } from '../../shared/limits/transfers';
import type { Deadline } from '../../shared/platform/deadline';
import { ObjectGone } from '../../shared/transfers/object-storage';
import { findFileIds } from '../../shared/transfers/runs/view/find-files';
import type { BadRowReport, LocatedBadRow, ReportObjects, ReportPosition } from '../../shared/transfers/runs/report';
import { readReportAfter } from '../../shared/transfers/runs/report';
import { isReportId } from '../../shared/transfers/runs/run-id';
import { toCsv, toErrorDto, toNdjson } from './error-lines';
import { runRoute } from './run-route';

export interface ErrorListDependencies extends ReportObjects {
  readonly store: DocumentStore;
}

/** The media types of the answer: pages in the envelope, or all rows in a stream. */
const TYPES = ['application/json', 'application/x-ndjson', 'text/csv'] as const;
export type StreamedType = Exclude<(typeof TYPES)[number], 'application/json'>;

const STREAMS: Record<StreamedType, (rows: AsyncIterable<BadRowReport>) => StreamedSuccess> = {
  'application/x-ndjson': (rows) => ({ contentType: 'application/x-ndjson', pieces: toNdjson(rows) }),
  'text/csv': (rows) => ({ contentType: 'text/csv; charset=utf-8', pieces: toCsv(rows) }),
};

interface ErrorQuery {
  /** Null: of all objects. */
  readonly object: string | null;
  /** What is asked for: one page, or a stream of this type. */
  readonly part: ErrorPage | StreamedType;
}

interface ErrorPage extends ListPage {
  readonly scope: ListScope;
}

/** The route that lists the bad rows of a run, file by file in the order of their lines. */
export function errorListRoute(dependencies: ErrorListDependencies): AnyRoute {
  const { store } = dependencies;
  return runRoute<ErrorQuery>(
    {
      operationId: 'listRunErrors',
      method: 'GET',
      path: '/errors',
      query: ['object', ...PAGE_PARAMETERS],
      successMessage: 'Errors found.',
      failureMessage: 'Failed to find errors.',
      headers: { Vary: 'Accept' },
      readQuery: (query, runId, preferred) => {
        const object = presentOrNull(query('object'));
        const scope = ['errors', runId, object ?? undefined];
        const type = preferred(TYPES);
        const part = type === 'application/json' ? readErrorPage(query, scope) : requireUnpaged(query, type);
        return { object, part };
      },
      run: async ({ runId }, { object, part }, _tenant, { deadline }) => {
        const fileIds = object === null ? undefined : await findFileIds(runId, object, store, deadline);
        const rowsOf = (objectsAtOnce: number, after?: ReportPosition) =>
          keptRows(readReportAfter(runId, { after, fileIds }, objectsAtOnce, deadline, dependencies));
        if (typeof part === 'string') return STREAMS[part](withoutPositions(rowsOf(STREAM_OBJECTS_AT_ONCE)));
        return answerPage(part, (after) => rowsOf(1, after), deadline);
      },
    },
    { store },
  );
}

function readErrorPage(query: ReadQuery, scope: ListScope): ErrorPage {
  return { ...readListPage(query, scope, (text) => parsePosition(text) !== undefined), scope };
}

/** The type of a stream, which has no pages. @throws HttpProblem 400 */
function requireUnpaged(query: ReadQuery, type: StreamedType): StreamedType {
  for (const name of PAGE_PARAMETERS) {
    if (presentOrNull(query(name)) !== null) throw unpagedStream(name, type);
  }
  return type;
}

async function answerPage(
  { limit, after, scope }: ErrorPage,
  rowsAfter: (position: ReportPosition | undefined) => AsyncIterable<LocatedBadRow>,
  deadline: Deadline,
): Promise<Success> {
  const { items, nextPageToken } = await takePage(
    rowsAfter(after === undefined ? undefined : parsePosition(after)),
    { limit, scope, deadline },
    ({ row }) => toErrorDto(row),
    ({ position: { reportId, index } }) => `${reportId}:${index}`,
  );
  return { data: { Errors: items, NextPageToken: nextPageToken } };
}

/** The rows. @throws HttpProblem 404 when their report is no longer kept */
async function* keptRows(rows: AsyncIterable<LocatedBadRow>): AsyncGenerator<LocatedBadRow> {
  try {
    yield* rows;
  } catch (error) {
    throw error instanceof ObjectGone ? errorsNotKept() : error;
  }
}

async function* withoutPositions(rows: AsyncIterable<LocatedBadRow>): AsyncGenerator<BadRowReport> {
  for await (const { row } of rows) yield row;
}

function parsePosition(text: string): ReportPosition | undefined {
  const [reportId = '', index = '', ...others] = text.split(':');
  const isPosition = isReportId(reportId) && /^\d{1,6}$/.test(index) && others.length === 0;
  return isPosition ? { reportId, index: Number(index) } : undefined;
}
