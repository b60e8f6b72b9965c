import type { RowError, RunFile, RunReference, RunWithExamples } from './contract';
import type { CallOptions } from './http/platform';
import type { Transport } from './http/transport';
import { linesOf, textOf } from './lines';
import { eachOf } from './pages';
import { toPath } from './paths';

/** A run of a transfer. The key needs the permission `transfers`. An unknown run is a NotFoundError everywhere. */
export class TransferRun {
  readonly runId: string;
  readonly #transport: Transport;
  readonly #path: string;

  constructor(transport: Transport, runId: string) {
    this.runId = runId;
    this.#transport = transport;
    this.#path = toPath('ingestion', 'google-cloud-storage', 'runs', runId);
  }

  /** How the run is now; of a preview also what it would change. */
  async get({ signal }: CallOptions = {}): Promise<RunWithExamples> {
    const { Run } = await this.#transport.send<{ Run: RunWithExamples }>({ method: 'GET', path: this.#path, signal });
    return Run;
  }

  /** The files of the run, in no order that means anything. */
  files({
    status,
    signal,
  }: { readonly status?: RunFile['Status'] | undefined } & CallOptions = {}): AsyncIterable<RunFile> {
    const call = { path: `${this.#path}/files`, query: { status }, signal };
    return eachOf<'Files', RunFile>(this.#transport, 'Files', call);
  }

  /** The bad rows of the run, page by page: each page is a request. */
  errors({ object, signal }: BadRowFilter & CallOptions = {}): AsyncIterable<RowError> {
    const call = { path: `${this.#path}/errors`, query: { object }, signal };
    return eachOf<'Errors', RowError>(this.#transport, 'Errors', call);
  }

  /**
   * The same in one request, as fast as they are used.
   * @throws NetworkError where the stream ends before its end: what came is a part, so ask again
   */
  async *allErrors({ object, signal }: BadRowFilter & CallOptions = {}): AsyncGenerator<RowError, void, undefined> {
    for await (const line of linesOf(this.#stream('application/x-ndjson', object, signal))) {
      yield JSON.parse(line) as RowError;
    }
  }

  /** As `allErrors`, as the text of a CSV file for people: `object,line,path,message`. */
  errorsAsCsv({ object, signal }: BadRowFilter & CallOptions = {}): AsyncIterable<string> {
    return textOf(this.#stream('text/csv', object, signal));
  }

  /** Reads the bad rows again, from the files as they are now. @throws ConflictError while the run runs */
  replay({ signal }: CallOptions = {}): Promise<RunReference> {
    return this.#transport.send({ method: 'POST', path: `${this.#path}/replay`, signal });
  }

  /** Ends the run. What is stored stays. @throws ConflictError when it has ended */
  cancel({ signal }: CallOptions = {}): Promise<RunReference> {
    return this.#transport.send({ method: 'POST', path: `${this.#path}/cancel`, signal });
  }

  #stream(accept: string, object: string | undefined, signal: AbortSignal | undefined): AsyncIterable<Uint8Array> {
    return this.#transport.stream({ method: 'GET', path: `${this.#path}/errors`, query: { object }, signal }, accept);
  }
}

export interface BadRowFilter {
  /** Only the bad rows of this object. */
  readonly object?: string | undefined;
}
