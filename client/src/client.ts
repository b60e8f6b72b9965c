import type { Usage } from './contract';
import { Customers } from './customers';
import type { CallOptions, Platform } from './http/platform';
import { systemPlatform } from './http/platform';
import { Transport } from './http/transport';
import { Orders } from './orders';
import { toPath } from './paths';
import type { ProductsOptions } from './products';
import { Products } from './products';
import { TransferRun } from './transfer-run';
import { Transfers } from './transfers';

const DEFAULT_CONCURRENCY = 4;
const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_MAX_RETRIES = 10;

export interface ClientOptions {
  /** Where the service runs: `https://data.example.com`. */
  readonly baseUrl: string;
  /** It is in no error, log or inspection of the client. */
  readonly key: string;
  /** Requests of one feed that are under way at once; by default 4. */
  readonly concurrency?: number | undefined;
  /** Takes the place of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** How long sending a request and waiting for its answer may take; by default 60,000. A further part has as long. */
  readonly timeoutMs?: number | undefined;
  /** How often a request is repeated before its error is the caller's; by default 10, which is some minutes. */
  readonly maxRetries?: number | undefined;
}

/** The time of which usage is told. */
export interface UsageOptions {
  /** By default a day before `to`. */
  readonly from?: string | Date | undefined;
  /** What follows is before this time; by default now. */
  readonly to?: string | Date | undefined;
}

/** Talks to the data ingestion service. One for each key: it keeps to the key's rate limit, whatever runs at once. */
export class IngestionClient {
  readonly #transport: Transport;

  /**
   * @param platform of tests
   * @throws TypeError when the base URL, the key or a number cannot be one
   */
  constructor(options: ClientOptions, platform: Platform = systemPlatform(options.fetch)) {
    const { baseUrl, key, concurrency, timeoutMs, maxRetries } = options;
    if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol)) {
      throw new TypeError('baseUrl must be an http or https URL.');
    }
    // Whatever else is in a header, `fetch` would repeat in its error.
    if (typeof key !== 'string' || !/^[\x21-\x7e]+$/.test(key)) throw new TypeError('key is none of the service.');
    this.#transport = new Transport(
      {
        baseUrl: baseUrl.replace(/\/+$/, ''),
        key,
        concurrency: wholeNumber('concurrency', concurrency ?? DEFAULT_CONCURRENCY, 1),
        timeoutMs: wholeNumber('timeoutMs', timeoutMs ?? DEFAULT_TIMEOUT_MS, 1),
        maxRetries: wholeNumber('maxRetries', maxRetries ?? DEFAULT_MAX_RETRIES, 0),
      },
      platform,
    );
  }

  customers(tenantId: string): Customers {
    return new Customers(this.#transport, tenantId);
  }

  products(tenantId: string, options: ProductsOptions = {}): Products {
    return new Products(this.#transport, tenantId, options);
  }

  orders(tenantId: string): Orders {
    return new Orders(this.#transport, tenantId);
  }

  /** The transfers of a tenant from its bucket, and their runs. */
  transfers(tenantId: string): Transfers {
    return new Transfers(this.#transport, tenantId);
  }

  /** What was counted of a tenant, by hour or by day. The key needs the permission `records`. */
  usage(tenantId: string, { from, to, signal }: UsageOptions & CallOptions = {}): Promise<Usage> {
    const text = (time: string | Date | undefined) => (time instanceof Date ? time.toISOString() : time);
    const query = { from: text(from), to: text(to) };
    return this.#transport.send({ method: 'GET', path: toPath('usage', tenantId), query, signal });
  }

  /** A run of a transfer. Nothing is sent yet. */
  run(runId: string): TransferRun {
    return new TransferRun(this.#transport, runId);
  }
}

function wholeNumber(name: string, value: number, least: number): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new TypeError(`${name} must be a whole number from ${least} on.`);
}
