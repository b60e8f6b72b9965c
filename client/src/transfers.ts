import type {
  HistoricalRegistration,
  PreviewOptions,
  PreviewReference,
  RecurringRegistration,
  Run,
  RunReference,
  Transfer,
  TransferOptions,
} from './contract';
import type { CallOptions } from './http/platform';
import type { Transport } from './http/transport';
import { eachOf } from './pages';

const ROOT = '/ingestion/google-cloud-storage';

/** The transfers of a tenant from its bucket, and their runs. The key needs the permission `transfers`. */
export class Transfers {
  readonly #transport: Transport;
  readonly #tenantId: string;

  constructor(transport: Transport, tenantId: string) {
    this.#transport = transport;
    this.#tenantId = tenantId;
  }

  /** Reads the whole bucket, or folders of it, once and now. */
  registerHistorical(options: OfTenant<TransferOptions>, call: CallOptions = {}): Promise<HistoricalRegistration> {
    return this.#post('/register/historical-transfer', options, call);
  }

  /** Reads new files every day. A tenant has one daily transfer: the latest registration counts. */
  registerDaily(options: OfTenant<TransferOptions>, call: CallOptions = {}): Promise<RecurringRegistration> {
    return this.#post('/register/daily-transfer', options, call);
  }

  /** As `registerDaily`, every hour. */
  registerHourly(options: OfTenant<TransferOptions>, call: CallOptions = {}): Promise<RecurringRegistration> {
    return this.#post('/register/hourly-transfer', options, call);
  }

  /**
   * Reads files when they are uploaded, and looks once a day for those that were missed. `Setup` has the commands by
   * which the bucket's owner lets Cloud Storage tell of uploads.
   */
  registerLive(options: OfTenant<TransferOptions>, call: CallOptions = {}): Promise<RecurringRegistration> {
    return this.#post('/register/live-transfer', options, call);
  }

  /** Ends a recurring transfer, whether or not there is such a job. */
  async unregister(jobId: string, { signal }: CallOptions = {}): Promise<void> {
    await this.#transport.send({ method: 'DELETE', path: `${ROOT}/unregister`, query: { jobId }, signal });
  }

  /** The recurring transfers of the tenant. */
  async list({ signal }: CallOptions = {}): Promise<Transfer[]> {
    const call = { method: 'GET', path: `${ROOT}/transfers`, query: { tenantId: this.#tenantId }, signal } as const;
    const { Transfers: transfers } = await this.#transport.send<{ Transfers: Transfer[] }>(call);
    return transfers;
  }

  /** Reads the files of a recurring transfer now. @throws NotFoundError when the job is not registered */
  start(jobId: string, { signal }: CallOptions = {}): Promise<RunReference> {
    return this.#transport.send({ method: 'POST', path: `${ROOT}/transfers/run`, query: { jobId }, signal });
  }

  /** Says in a run of its own what a historical transfer would do. Nothing is stored of it. */
  preview(options: OfTenant<PreviewOptions>, call: CallOptions = {}): Promise<PreviewReference> {
    return this.#post('/preview', options, call);
  }

  /** The runs of the tenant, the newest first. */
  runs({ jobId, status, signal }: RunFilter & CallOptions = {}): AsyncIterable<Run> {
    const query = { tenantId: this.#tenantId, jobId, status };
    return eachOf<'Runs', Run>(this.#transport, 'Runs', { path: `${ROOT}/runs`, query, signal });
  }

  #post<T>(path: string, options: object, { signal }: CallOptions): Promise<T> {
    const body = JSON.stringify({ ...options, TenantId: this.#tenantId });
    return this.#transport.send({ method: 'POST', path: `${ROOT}${path}`, body, signal });
  }
}

type OfTenant<Options> = Omit<Options, 'TenantId'>;

export interface RunFilter {
  readonly jobId?: string | undefined;
  readonly status?: Run['Status'] | undefined;
}
