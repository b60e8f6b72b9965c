/** What `openapi.json` says of the routes about runs. */
import type { OperationDescription, ParameterDescription, Rule } from '../../../shared/endpoint/description/operation';
import { EXAMPLE_TENANT } from '../../../shared/endpoint/description/operation';
import { pathId } from '../../../shared/endpoint/description/records';
import type { IngestionOperation } from '../../../shared/endpoint/operation-id';
import { DEFAULT_PAGE_ITEMS, MAX_PAGE_ITEMS } from '../../../shared/domain/limits';
import { PAGE_PARAMETERS } from '../../../shared/http/list-page';
import {
  errorsNotKept,
  foreignPageToken,
  invalidChoice,
  invalidLimit,
  overloaded,
  previewNotReplayed,
  runEnded,
  runNotEnded,
  runNotFound,
  streamNeedsNewerHttp,
  tooManyAtOnce,
  transferNotFound,
  unpagedStream,
} from '../../../shared/http/problems';
import { MAX_STREAMS, MAX_STREAMS_OF_KEY, STREAM_RETRY_SECONDS } from '../../../shared/limits/requests';
import { RUN_STATUSES } from '../../../shared/transfers/runs/run';
import type { StreamedType } from '../list-errors';
import { FILE_STATUSES } from '../list-files';
import {
  EXAMPLE_DETAILS,
  EXAMPLE_ERROR,
  EXAMPLE_FILE,
  EXAMPLE_RUN,
  EXAMPLE_RUNNING_RUN,
  EXAMPLE_STARTED_RUN_ID,
} from './examples';
import { errorList, fileList, rowError, runDetails, runList, startedRun } from './runs';

type RunOperation = Extract<
  IngestionOperation,
  'listRuns' | 'getRun' | 'listRunFiles' | 'listRunErrors' | 'replayRun' | 'cancelRun'
>;

const runId = pathId('The id of the run.');

const pages: Readonly<Record<(typeof PAGE_PARAMETERS)[number], ParameterDescription>> = {
  limit: {
    schema: { type: 'integer', minimum: 1, maximum: MAX_PAGE_ITEMS, default: DEFAULT_PAGE_ITEMS },
    allowEmptyValue: true,
    description: 'The most elements of the page. It may have fewer, also where another one follows.',
  },
  pageToken: {
    schema: { type: 'string' },
    allowEmptyValue: true,
    description: '`NextPageToken` of the page before, with the same filters; absent: the first page.',
  },
};
const PAGE_PROBLEMS = [invalidLimit(MAX_PAGE_ITEMS), foreignPageToken()];
const PAGE_RULE: Rule = {
  rule: '`pageToken` is the token of a page of this list, with the same filters.',
  message: foreignPageToken().message,
};

const status = (words: readonly string[]): ParameterDescription => ({
  schema: { type: 'string', enum: words },
  allowEmptyValue: true,
  description: 'Only those in this status; absent: all.',
});

/** The forms in which all bad rows are streamed. */
const STREAMS = {
  'application/x-ndjson': {
    schema: { type: 'string', description: `Lines of JSON, each as \`${rowError.name}\`.` },
    example: `${JSON.stringify(EXAMPLE_ERROR)}\n`,
  },
  'text/csv': {
    schema: { type: 'string', description: 'CSV (RFC 4180) with a line for each message.' },
    example:
      'object,line,path,message\r\nshop/customers.ndjson,2,[0].Email,The field Email must be an e-mail address.\r\n',
  },
} satisfies Record<StreamedType, unknown>;

const STREAM_TYPES = Object.keys(STREAMS) as StreamedType[];
const UNPAGED = PAGE_PARAMETERS.flatMap((name) => STREAM_TYPES.map((type) => unpagedStream(name, type)));

const ofRun = { runId: EXAMPLE_RUN.RunId };

export const runDescriptions: Readonly<Record<RunOperation, OperationDescription>> = {
  listRuns: {
    summary: 'List the runs of a tenant',
    description: 'Shows runs, the newest first. They are kept for 90 days.',
    parameters: {
      jobId: {
        schema: { type: 'string' },
        allowEmptyValue: true,
        description: 'Only runs of this job; absent: of all jobs.',
      },
      status: status(RUN_STATUSES),
      ...pages,
    },
    data: [runList],
    problems: [...PAGE_PROBLEMS, invalidChoice('status', RUN_STATUSES), transferNotFound()],
    rules: [PAGE_RULE],
    examples: {
      partial: {
        summary: 'Runs with bad rows',
        parameters: { tenantId: EXAMPLE_TENANT, status: 'partial', limit: '10' },
        data: { Runs: [EXAMPLE_RUN], NextPageToken: null },
      },
    },
  },
  getRun: {
    summary: 'Show a run',
    description: 'Shows a run, with the counts so far while it runs, and records that a preview would change.',
    parameters: { runId },
    data: [runDetails],
    problems: [runNotFound()],
    examples: {
      ended: { summary: 'A run that has ended', parameters: ofRun, data: { Run: EXAMPLE_DETAILS } },
      running: {
        summary: 'A run that still runs',
        parameters: { runId: EXAMPLE_RUNNING_RUN.RunId },
        data: { Run: { ...EXAMPLE_RUNNING_RUN, Examples: null } },
      },
    },
  },
  listRunFiles: {
    summary: 'List the files of a run',
    description: 'Shows the files of a run with their progress, and then those that it does not read.',
    parameters: { runId, status: status(FILE_STATUSES), ...pages },
    data: [fileList],
    problems: [runNotFound(), ...PAGE_PROBLEMS, invalidChoice('status', FILE_STATUSES)],
    rules: [PAGE_RULE],
    examples: {
      finished: {
        summary: 'Files that were read to their end',
        parameters: { ...ofRun, status: 'finished' },
        data: { Files: [EXAMPLE_FILE], NextPageToken: null },
      },
    },
  },
  listRunErrors: {
    summary: 'List the bad rows of a run',
    description:
      'Shows bad rows with their messages, page by page. With `Accept: application/x-ndjson` or `text/csv` all of them are ' +
      'streamed: then there is no envelope, `limit` and `pageToken` do not apply, and a stream that breaks off closes the ' +
      `connection without its end. An instance sends at most ${MAX_STREAMS_OF_KEY} streams of a key at once, beyond which the ` +
      `answer is 429, and ${MAX_STREAMS} of all keys, beyond which it is 503.`,
    parameters: {
      runId,
      object: {
        schema: { type: 'string' },
        allowEmptyValue: true,
        description: 'Only rows of this object; absent: of all.',
      },
      ...pages,
    },
    data: [errorList],
    streams: STREAMS,
    problems: [
      runNotFound(),
      errorsNotKept(),
      ...PAGE_PROBLEMS,
      ...UNPAGED,
      streamNeedsNewerHttp(),
      tooManyAtOnce('streams', STREAM_RETRY_SECONDS),
      overloaded(STREAM_RETRY_SECONDS),
    ],
    rules: [
      PAGE_RULE,
      ...UNPAGED.map(({ message }) => ({ rule: '`limit` and `pageToken` do not apply to a stream.', message })),
    ],
    examples: {
      page: { summary: 'A page', parameters: ofRun, data: { Errors: [EXAMPLE_ERROR], NextPageToken: null } },
    },
  },
  replayRun: {
    summary: 'Read the bad rows of a run again',
    description:
      'Starts a run over the rows that were bad, after their files were mended, and later rows about their records. A repeat ' +
      'starts another run.',
    parameters: { runId },
    data: [startedRun],
    problems: [runNotFound(), runNotEnded(), previewNotReplayed()],
    examples: {
      one: { summary: 'A run with bad rows', parameters: ofRun, data: { RunId: EXAMPLE_STARTED_RUN_ID.replay } },
    },
  },
  cancelRun: {
    summary: 'Cancel a run',
    description: 'Ends a run that runs. What it has stored stays. A repeat is safe.',
    parameters: { runId },
    data: [startedRun],
    problems: [runNotFound(), runEnded()],
    examples: {
      one: {
        summary: 'A run that runs',
        parameters: { runId: EXAMPLE_RUNNING_RUN.RunId },
        data: { RunId: EXAMPLE_RUNNING_RUN.RunId },
      },
    },
  },
};
