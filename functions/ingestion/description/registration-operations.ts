/** What `openapi.json` says of the routes that register, list and run transfers. */
import type { OperationDescription } from '../../../shared/endpoint/description/operation';
import { EXAMPLE_TENANT } from '../../../shared/endpoint/description/operation';
import type { IngestionOperation } from '../../../shared/endpoint/operation-id';
import {
  foreignBucket,
  foreignTenant,
  idRequired,
  noRoomForTransfers,
  tenantSuspended,
  transferNotFound,
} from '../../../shared/http/problems';
import { EXAMPLE_RUN, EXAMPLE_STARTED_RUN_ID } from './examples';
import { startedRun } from './runs';
import { historicalRegistration, nothing, recurringRegistration, startedPreview, transferList } from './transfers';

type RegistrationOperation = Extract<
  IngestionOperation,
  | 'registerHistoricalTransfer'
  | 'registerDailyTransfer'
  | 'registerHourlyTransfer'
  | 'registerLiveTransfer'
  | 'unregisterTransfer'
  | 'listTransfers'
  | 'runTransfer'
  | 'previewTransfer'
>;

const bucket = { TenantId: EXAMPLE_TENANT, BucketName: 'ada-exports' };

/** The identity that reads buckets, in the project of the examples. */
const EXAMPLE_RUNNER = 'runner@project.iam.gserviceaccount.com';

const BUCKET_WORDS =
  'The bucket then belongs to your organization. Only after that grant the service the role Storage Object Viewer on it.';

const jobId = (description: string) =>
  ({ jobId: { schema: { type: 'string', pattern: '\\S' }, description, required: true } }) as const;

export const registrationDescriptions: Readonly<Record<RegistrationOperation, OperationDescription>> = {
  previewTransfer: {
    summary: 'Say what a historical transfer would do',
    description:
      'Starts a run that reads the files as a historical transfer of the same body would, and stores no record. The run ' +
      'counts its rows and changes, and shows some records that would change, for 24 hours. The bucket then belongs to ' +
      'your organization. A repeat starts another run.',
    data: [startedPreview],
    problems: [foreignBucket()],
    examples: {
      sample: {
        summary: 'The first 1,000 rows of each file of a folder',
        body: { ...bucket, HistoricalDataFolderPaths: ['shop/'], SampleRowsPerFile: 1000 },
        data: { RunId: EXAMPLE_STARTED_RUN_ID.preview },
      },
    },
  },
  registerHistoricalTransfer: {
    summary: 'Read a bucket once',
    description: `Starts a run over all files in \`HistoricalDataFolderPaths\`. ${BUCKET_WORDS} A repeat starts another run.`,
    data: [historicalRegistration],
    problems: [foreignBucket()],
    examples: {
      folder: {
        summary: 'The files of a folder',
        body: { ...bucket, HistoricalDataFolderPaths: ['shop/'] },
        data: {
          JobId: `historical-transfer/${EXAMPLE_TENANT}/20260301120030000f51fb327d8caa3e93a38ed83`,
          BucketAccess: 'ok',
        },
      },
    },
  },
  registerDailyTransfer: {
    summary: 'Read a bucket every day',
    description: `Registers the daily transfer of a tenant, or changes it. ${BUCKET_WORDS} A repeat is safe.`,
    data: [recurringRegistration],
    problems: [foreignBucket(), noRoomForTransfers()],
    examples: {
      threeOClock: {
        summary: 'The files of a folder, at three in the morning',
        body: { ...bucket, DataFolderPaths: ['shop/'], DailyJobStartingHourUTC: 3 },
        data: { recurringJobId: `daily-transfer/${EXAMPLE_TENANT}`, BucketAccess: 'ok' },
      },
    },
  },
  registerHourlyTransfer: {
    summary: 'Read a bucket every hour',
    description: `Registers the hourly transfer of a tenant, or changes it. ${BUCKET_WORDS} A repeat is safe.`,
    data: [recurringRegistration],
    problems: [foreignBucket(), noRoomForTransfers()],
    examples: {
      ignored: {
        summary: 'The whole bucket; a field of another kind of transfer is ignored and named',
        body: { ...bucket, HourlyJobStartingMinuteUTC: 15, DailyJobStartingHourUTC: 3 },
        data: {
          recurringJobId: `hourly-transfer/${EXAMPLE_TENANT}`,
          BucketAccess: 'ok',
          ignoredFields: ['DailyJobStartingHourUTC'],
        },
      },
    },
  },
  registerLiveTransfer: {
    summary: 'Read files when they are uploaded',
    description:
      'Registers the live transfer of a tenant, or changes it. Files are read within about a minute of their upload, ' +
      'those of a minute in one run; once a day the folders are looked through for files that were missed. For that ' +
      "the bucket's owner adds a notification to it: `Setup` has the commands. Before that the operator of the service " +
      `has to allow the notifications of the owner's Google Cloud project: tell its number. ${BUCKET_WORDS} A repeat is safe.`,
    data: [recurringRegistration],
    problems: [foreignBucket(), noRoomForTransfers()],
    examples: {
      folder: {
        summary: 'The files of a folder',
        body: { ...bucket, DataFolderPaths: ['shop/'] },
        data: {
          recurringJobId: `live-transfer/${EXAMPLE_TENANT}`,
          BucketAccess: 'ok',
          Setup: {
            Role: 'roles/storage.objectViewer',
            ServiceAccount: EXAMPLE_RUNNER,
            Commands: [
              `gcloud storage buckets add-iam-policy-binding gs://ada-exports --member=serviceAccount:${EXAMPLE_RUNNER} --role=roles/storage.objectViewer`,
              'gcloud storage buckets notifications create gs://ada-exports --topic=projects/project/topics/uploads --event-types=OBJECT_FINALIZE --payload-format=json',
            ],
          },
        },
      },
    },
  },
  unregisterTransfer: {
    summary: 'End a recurring transfer',
    description:
      'Removes the schedule of a job. A run that has started goes on. An id that is no job is no error, and a repeat is safe.',
    parameters: jobId('The id of the job, as its registration said it.'),
    data: [nothing],
    problems: [idRequired('Job ID'), foreignTenant(), tenantSuspended()],
    examples: {
      daily: {
        summary: 'The daily transfer',
        parameters: { jobId: `daily-transfer/${EXAMPLE_TENANT}` },
        data: {},
      },
    },
  },
  listTransfers: {
    summary: 'List the recurring transfers of a tenant',
    description: 'Shows the daily, the hourly and the live transfer, each with its newest run.',
    data: [transferList],
    examples: {
      daily: {
        summary: 'A daily transfer',
        parameters: { tenantId: EXAMPLE_TENANT },
        data: {
          Transfers: [
            {
              JobId: `daily-transfer/${EXAMPLE_TENANT}`,
              Kind: 'daily',
              BucketName: 'ada-exports',
              DataFolderPaths: ['shop/'],
              Schedule: '0 3 * * *',
              TimeZone: 'Etc/UTC',
              NextRunAt: '2026-03-02T03:00:00.000Z',
              LastRun: EXAMPLE_RUN,
            },
          ],
        },
      },
    },
  },
  runTransfer: {
    summary: 'Run a recurring transfer now',
    description:
      'Starts a run outside the schedule, which stays as it is. That of a live transfer looks through its folders. A ' +
      'repeat starts another run.',
    parameters: jobId('The id of a daily, hourly or live job.'),
    data: [startedRun],
    problems: [idRequired('Job ID'), transferNotFound()],
    examples: {
      daily: {
        summary: 'The daily transfer',
        parameters: { jobId: `daily-transfer/${EXAMPLE_TENANT}` },
        data: { RunId: EXAMPLE_STARTED_RUN_ID.manual },
      },
    },
  },
};
