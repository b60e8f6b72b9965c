import { StoredAdmission } from '../../../shared/auth/stored-admission';
import { recordsPath } from '../../../shared/documents/paths';
import { documentBytes } from '../../../shared/domain/records/document';
import type { RecordKind } from '../../../shared/domain/identity';
import { RECORD_KINDS } from '../../../shared/domain/identity';
import type { TenantSettings } from '../../../shared/domain/tenant';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { ObservedDocumentStore } from '../../support/observed-document-store';
import type { Caller, FunctionName, RequestOptions } from '../../support/test-service';
import { TestService } from '../../support/test-service';
import type { Prepared } from './cost';
import { meteredStore, noTraffic } from './metered-store';
import { TurnMeter } from './turn-meter';

/** The one parse of a body is excused; parses of small texts are the service's own work. */
const BODY_TEXT = 64 * 1024;
const MANY_REQUESTS = 1_000_000;

/** The service in one process, on a store whose traffic is counted and whose time is excused. */
export class MeteredService extends TestService {
  readonly meter = new TurnMeter();
  readonly traffic = noTraffic();
  override readonly store = new ObservedDocumentStore(
    meteredStore(new MemoryDocumentStore(this.clock), this.traffic, this.meter),
  );
  override readonly admissionStore = new StoredAdmission(this.store);

  static async open(...names: FunctionName[]): Promise<MeteredService> {
    const opened = new MeteredService();
    await opened.start(names);
    return opened;
  }

  /** @throws Error unless the answer has one of the statuses */
  async must(statuses: readonly number[], method: string, path: string, options: RequestOptions): Promise<void> {
    const { status, text } = await this.request(method, path, options);
    if (!statuses.includes(status)) throw new Error(`${method} was answered ${status}: ${text.slice(0, 300)}`);
  }

  /** A caller whose requests are not counted out. */
  createMeteredCaller(settings: Partial<TenantSettings> = {}): Promise<Caller> {
    return this.createCaller({ ...settings, requestsPerMinute: MANY_REQUESTS });
  }

  /** Stores records as a caller does, in requests of a few megabytes. */
  async upsert({ tenantId, key }: Caller, kind: RecordKind, records: readonly object[], atOnce = 10): Promise<void> {
    for (let from = 0; from < records.length; from += atOnce) {
      const json = records.slice(from, from + atOnce);
      await this.must([200], 'POST', `/${kind}/${tenantId}`, { key, json });
    }
  }

  /** Stored bytes of all records of a tenant. */
  async storedBytes({ tenantId }: Caller): Promise<number> {
    let bytes = 0;
    for (const kind of RECORD_KINDS) {
      const documents = await this.store.list(recordsPath(tenantId, kind), { limit: Infinity }, this.deadline());
      for (const { data } of documents) bytes += documentBytes(data);
    }
    return bytes;
  }

  /** One request, ready to be sent; before it nothing is counted. */
  async prepare(
    { key }: Caller,
    statuses: readonly number[],
    { method = 'POST', path, body, bytes = body?.length ?? path.length, headers = {}, to }: PreparedRequest,
  ): Promise<Prepared> {
    const { traffic, meter } = this;
    Object.assign(traffic, noTraffic());
    this.store.calls.length = 0;
    const options = { key, headers, ...(body && { raw: body }), ...(to && { to }) };
    return Promise.resolve({
      bytes,
      traffic,
      meter,
      work: () => excusingParses(meter, () => this.must(statuses, method, path, options)),
      close: () => this.stop(),
    });
  }
}

export interface PreparedRequest {
  readonly method?: string;
  readonly path: string;
  readonly body?: Buffer;
  /** That the work may be linear in. Default: those that are sent. */
  readonly bytes?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The function that gets it. Default: the one that the path names. */
  readonly to?: FunctionName;
}

/** Excuses the parse of large texts while something works. */
export async function excusingParses<T>(meter: TurnMeter, work: () => Promise<T>): Promise<T> {
  const { parse } = JSON;
  JSON.parse = (text: string, ...more) =>
    text.length < BODY_TEXT ? (parse(text, ...more) as unknown) : meter.excuse(() => parse(text, ...more) as unknown);
  try {
    return await work();
  } finally {
    JSON.parse = parse;
  }
}
