import { START_SPREAD_MINUTES } from './limits/transfers';

/**
 * The configuration of a deployed function, read once from the environment that Terraform (or the local stack) sets.
 * The only file that reads `process.env`.
 */
import { MAX_TENANT_CONCURRENCY } from './limits/transfers';

export interface Config {
  readonly projectId: string;
  /** Firestore database id. */
  readonly databaseId: string;
  /** Regions of the Cloud Scheduler jobs. Only ever add to them: jobs in a region that is left out are not found. */
  readonly schedulerLocations: readonly [string, ...string[]];
  readonly topics: {
    /** Accepted deletions, for `deletion-consumer`. */
    readonly deletions: string;
    /** Triggers of transfers and steps of their runs, for `transfer-runner`. */
    readonly transfers: string;
    /** What Cloud Storage tells of uploads to tenants' buckets, for `upload-consumer`. */
    readonly uploads: string;
    /** Messages that can never succeed. */
    readonly deadLetters: string;
  };
  /** The service's own bucket for the bad rows of transfers. */
  readonly reportsBucket: string;
  /** The service account of `transfer-runner`, to which tenants grant their buckets and topics. */
  readonly transferServiceAccount: string;
  /** Load balancers between callers and the function; each adds an address to `X-Forwarded-For`. */
  readonly proxies: number;
  readonly transfers: {
    /** A step on a file hands over to the next one after this time, far below the function's time limit. */
    readonly stepSeconds: number;
    /** Steps that one instance works on at once; further ones are refused and redelivered. */
    readonly concurrency: number;
    /** Units of one tenant that are under way at once, in all instances together. */
    readonly tenantConcurrency: number;
    /** Over how many minutes the runs of the full hour are spread; 0: each begins with its message. */
    readonly startSpreadMinutes: number;
  };
  /** Addresses of emulators as `host:port`; each is absent on Google Cloud. */
  readonly emulators: {
    readonly firestore?: string;
    readonly pubsub?: string;
    readonly scheduler?: string;
    /** With its scheme: `http://host:port`. */
    readonly storage?: string;
  };
}

/** The default names of the Pub/Sub topics. */
export const DEFAULT_TOPICS = {
  deletions: 'deletions',
  transfers: 'transfers',
  uploads: 'uploads',
  deadLetters: 'dead-letters',
} as const;

/** The default region of the Cloud Scheduler jobs. */
const DEFAULT_LOCATION = 'europe-west1';

/** The default settings of transfers. */
export const DEFAULT_TRANSFERS = {
  stepSeconds: 240,
  concurrency: 4,
  tenantConcurrency: 8,
  startSpreadMinutes: START_SPREAD_MINUTES,
} as const;

/**
 * Reads the configuration.
 * @throws Error that names the variable to set when one is missing.
 */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const projectId = env.GOOGLE_CLOUD_PROJECT;
  if (!projectId) throw new Error('Set GOOGLE_CLOUD_PROJECT to the id of the Google Cloud project.');
  return {
    projectId,
    databaseId: env.FIRESTORE_DATABASE ?? '(default)',
    schedulerLocations: readLocations(env),
    topics: {
      deletions: env.DELETIONS_TOPIC ?? DEFAULT_TOPICS.deletions,
      transfers: env.TRANSFERS_TOPIC ?? DEFAULT_TOPICS.transfers,
      uploads: env.UPLOADS_TOPIC ?? DEFAULT_TOPICS.uploads,
      deadLetters: env.DEAD_LETTERS_TOPIC ?? DEFAULT_TOPICS.deadLetters,
    },
    reportsBucket: env.REPORTS_BUCKET ?? `${projectId}-transfer-reports`,
    transferServiceAccount: env.TRANSFER_SERVICE_ACCOUNT ?? `fn-transfer-runner@${projectId}.iam.gserviceaccount.com`,
    proxies: env.TRUSTED_PROXIES === '1' ? 1 : 0,
    transfers: {
      stepSeconds: readPositive(env, 'TRANSFER_STEP_SECONDS', DEFAULT_TRANSFERS.stepSeconds),
      concurrency: readPositive(env, 'TRANSFER_CONCURRENCY', DEFAULT_TRANSFERS.concurrency),
      tenantConcurrency: readWhole(env, 'TRANSFER_TENANT_CONCURRENCY', DEFAULT_TRANSFERS.tenantConcurrency, [
        1,
        MAX_TENANT_CONCURRENCY,
      ]),
      // On the local stack a job is fired for somebody who watches.
      startSpreadMinutes: readWhole(
        env,
        'TRANSFER_START_SPREAD_MINUTES',
        env.PUBSUB_EMULATOR_HOST ? 0 : DEFAULT_TRANSFERS.startSpreadMinutes,
        [0, 59],
      ),
    },
    emulators: {
      ...(env.FIRESTORE_EMULATOR_HOST && { firestore: env.FIRESTORE_EMULATOR_HOST }),
      ...(env.PUBSUB_EMULATOR_HOST && { pubsub: env.PUBSUB_EMULATOR_HOST }),
      ...(env.CLOUD_SCHEDULER_EMULATOR_HOST && { scheduler: env.CLOUD_SCHEDULER_EMULATOR_HOST }),
      ...(env.STORAGE_EMULATOR_HOST && { storage: env.STORAGE_EMULATOR_HOST }),
    },
  };
}

/**
 * The configuration to reach a real project from an operator's machine. Emulators that the environment names are
 * ignored.
 */
export function readProjectConfig(projectId: string): Config {
  const config = readConfigWith(projectId, {});
  delete process.env.PUBSUB_EMULATOR_HOST; // the SDKs read these two themselves
  delete process.env.STORAGE_EMULATOR_HOST;
  return config;
}

/** The configuration with this project and these emulators; everything else comes from the environment. */
export function readConfigWith(projectId: string, emulators: Config['emulators']): Config {
  return { ...readConfig({ ...process.env, GOOGLE_CLOUD_PROJECT: projectId }), emulators };
}

/**
 * Outside Google Cloud, stops the SDKs from searching for its metadata server for half a second before the first call.
 */
export function skipMetadataServer(): void {
  process.env.METADATA_SERVER_DETECTION ??= 'none';
}

/** Whether functions-framework runs this process for one function, as on the platform, which sets FUNCTION_TARGET. */
export function isRunByFramework(): boolean {
  return process.env.FUNCTION_TARGET !== undefined;
}

/** Each region once. Under the variable's old name a value would be overlooked, and with it all jobs of that region. */
function readLocations(env: NodeJS.ProcessEnv): Config['schedulerLocations'] {
  const { SCHEDULER_LOCATION: old, SCHEDULER_LOCATIONS: text = DEFAULT_LOCATION } = env;
  if (old !== undefined && env.SCHEDULER_LOCATIONS === undefined)
    throw new Error(`SCHEDULER_LOCATION has a new name: set SCHEDULER_LOCATIONS to "${old}".`);
  const [first, ...others] = new Set(text.split(',').map((location) => location.trim()));
  if (first && others.every((location) => location !== '')) return [first, ...others];
  throw new Error(`SCHEDULER_LOCATIONS must be regions with commas between them; it is "${text}".`);
}

function readPositive(env: NodeJS.ProcessEnv, name: string, fallback: number): number {
  const value = Number(env[name] ?? fallback);
  if (Number.isFinite(value) && value > 0) return value;
  throw new Error(`${name} must be a number above 0; it is "${env[name] ?? ''}".`);
}

/** @param bounds the least and the greatest number */
function readWhole(env: NodeJS.ProcessEnv, name: string, fallback: number, bounds: readonly [number, number]): number {
  const { [name]: text = String(fallback) } = env;
  const [least, greatest] = bounds;
  const value = Number(text);
  if (text.trim() !== '' && Number.isInteger(value) && value >= least && value <= greatest) return value;
  throw new Error(`${name} must be a whole number from ${least} to ${greatest}; it is "${text}".`);
}
