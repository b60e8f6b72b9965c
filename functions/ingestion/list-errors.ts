import type { DocumentStore } from '../../shared/documents/document-store';
import type { AnyRoute } from '../../shared/endpoint/route';
import type { ListPage, ListScope } from '../../shared/http/list-page';
import { readListPage, takePage } from '../../shared/http/list-page';
import { errorsNotKept } from '../../shared/http/problems';
import { presentOrNull } from '../../shared/domain/values/text';
import { ObjectGone } from '../../shared/transfers/object-storage';
import { findFileIds } from '../../shared/transfers/runs/view/find-files';
import type { BadRowReport, ReportObjects, ReportPosition } from '../../shared/transfers/runs/report';
import { readReportAfter } from '../../shared/transfers/runs/report';
import { isReportId } from '../../shared/transfers/runs/run-id';
import { runRoute } from './run-route';

export interface ErrorListDependencies extends ReportObjects {
  readonly store: DocumentStore;
}

/** A bad row of a file (D-52). It tells where the row is and what is wrong, and repeats no rejected value. */
export interface RowErrorDto {
  readonly Object: string;
  readonly Generation: string;
  readonly Line: number;
  readonly Errors: BadRowReport['messages'];
  /** How many messages were left out; absent: none. */
  readonly OmittedErrors?: number;
}

interface ErrorQuery {
  /** Null: of all objects. */
  readonly object: string | null;
  readonly page: ListPage;
  readonly scope: ListScope;
}

/** The route that lists the bad rows of a run, file by file in the order of their lines. */
export function errorListRoute({ store, storage, reportsBucket }: ErrorListDependencies): AnyRoute {
  return runRoute<ErrorQuery>(
    {
      method: 'GET',
      path: '/errors',
      failureMessage: 'Failed to find errors.',
      readQuery: (query, runId) => {
        const object = presentOrNull(query('object'));
        const scope = ['errors', runId, object ?? undefined];
        return { object, page: readListPage(query, scope, (text) => parsePosition(text) !== undefined), scope };
      },
      run: async ({ runId }, { object, page: { limit, after }, scope }, _tenant, { deadline }) => {
        const fileIds = object === null ? undefined : await findFileIds(runId, object, store, deadline);
        const position = after === undefined ? undefined : parsePosition(after);
        const rows = readReportAfter(runId, position, fileIds, deadline, { store, storage, reportsBucket });
        try {
          const { items, nextPageToken } = await takePage(
            rows,
            { limit, scope, deadline },
            ({ row }) => toErrorDto(row),
            ({ position: { reportId, index } }) => `${reportId}:${index}`,
          );
          return { message: 'Errors found.', data: { Errors: items, NextPageToken: nextPageToken } };
        } catch (error) {
          throw error instanceof ObjectGone ? errorsNotKept() : error;
        }
      },
    },
    { store },
  );
}

function parsePosition(text: string): ReportPosition | undefined {
  const [reportId = '', index = '', ...others] = text.split(':');
  const isPosition = isReportId(reportId) && /^\d{1,6}$/.test(index) && others.length === 0;
  return isPosition ? { reportId, index: Number(index) } : undefined;
}

function toErrorDto({ object, generation, line, messages, omittedErrors }: BadRowReport): RowErrorDto {
  return {
    Object: object,
    Generation: generation,
    Line: line,
    Errors: messages,
    ...(omittedErrors !== undefined && { OmittedErrors: omittedErrors }),
  };
}
