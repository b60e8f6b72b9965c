import type { File, Storage } from '@google-cloud/storage';
import type { PassThrough, Readable } from 'node:stream';
import { finished } from 'node:stream';
import type { Clock } from '../../clock';
import type { Config } from '../../config';
import { CALL_TIMEOUT_MS, DOWNLOAD_IDLE_MS } from '../../domain/limits';
import type { ObjectPage, ObjectStorage, StoredObject } from '../../transfers/object-storage';
import { ObjectGone } from '../../transfers/object-storage';
import { withIdleLimit } from './idle-limit';
import { explain, httpStatus } from './refusals';

/** `ObjectStorage` on Cloud Storage. The SDK is loaded by the first call. */
export class CloudObjectStorage implements ObjectStorage {
  private client: Promise<Storage> | undefined;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  async list(bucket: string, prefix: string, limit: number, pageToken?: string): Promise<ObjectPage> {
    const query = { prefix, maxResults: limit, autoPaginate: false, ...(pageToken !== undefined && { pageToken }) };
    const [files, next] = await explained(bucket, async () => (await this.connected()).bucket(bucket).getFiles(query));
    return { objects: files.map(toObject), nextPageToken: (next as { pageToken?: string } | null)?.pageToken };
  }

  async find(bucket: string, name: string): Promise<StoredObject | undefined> {
    const page = await this.list(bucket, name, 1);
    return page.objects.find((object) => object.name === name);
  }

  async *read(
    bucket: string,
    { name, generation }: Pick<StoredObject, 'name' | 'generation'>,
    offset: number,
  ): AsyncGenerator<Buffer, void, undefined> {
    const file = (await this.connected()).bucket(bucket).file(name, { generation });
    file.interceptors.push(OUTSIDE_POOL);
    outliveCutMessages(file);
    const stream = file.createReadStream({ start: offset, decompress: false, validation: false });
    closeConnectionAfter(stream);
    try {
      yield* withIdleLimit(stream as AsyncIterable<Buffer>, DOWNLOAD_IDLE_MS, this.clock);
    } catch (error) {
      if (httpStatus(error) === 404) throw new ObjectGone(`${name} was replaced or removed while it was read.`);
      if (httpStatus(error) === 416) return; // nothing is left after the offset
      throw explain(bucket, error);
    } finally {
      stream.destroy();
    }
  }

  async write(bucket: string, name: string, content: string): Promise<string> {
    const file = (await this.connected()).bucket(bucket).file(name);
    await file.save(content, { resumable: false, contentType: 'application/x-ndjson' });
    return String(file.metadata.generation);
  }

  private connected(): Promise<Storage> {
    return (this.client ??= connect(this.config));
  }
}

async function connect(config: Config): Promise<Storage> {
  const { IdempotencyStrategy, Storage } = await import('@google-cloud/storage');
  const emulator = config.emulators.storage;
  return new Storage({
    projectId: config.projectId,
    timeout: CALL_TIMEOUT_MS,
    // Reports have names of their own, so that writing one again changes nothing.
    retryOptions: { idempotencyStrategy: IdempotencyStrategy.RetryAlways },
    ...(emulator !== undefined && { apiEndpoint: emulator, useAuthWithCustomEndpoint: false }),
  });
}

/**
 * Takes a request out of the library's pool: it ends a download that is left early by closing every connection of the
 * pool, so that a step that hands its file over would cut off all other downloads of the instance.
 */
const OUTSIDE_POOL = {
  request: (options: object) => ({ ...options, forever: false }),
} as File['interceptors'][number];

/**
 * Takes a refusal's message as far as it comes: the library reads it beside its download, and an error there would end
 * the process. The method is the library's own, so that its types do not show it; the library is pinned, and a test
 * notices.
 */
function outliveCutMessages(file: File): void {
  const library = file as unknown as { getBufferFromReadable(body: Readable): Promise<Buffer> };
  const read = library.getBufferFromReadable.bind(file);
  library.getBufferFromReadable = (body) => read(body).catch(() => Buffer.alloc(0));
}

/** Closes the connection of a download that is left early, which the library does not do outside its pool. */
function closeConnectionAfter(stream: Readable): void {
  stream.once('response', (body: PassThrough) => {
    body.once('unpipe', (received: Readable) => received.destroy());
    finished(stream, () => body.end()); // not destroyed: the library fails badly when an error's message is cut off
  });
}

function toObject({ metadata }: File): StoredObject {
  return {
    name: metadata.name ?? '',
    generation: String(metadata.generation ?? ''),
    size: Number(metadata.size ?? 0),
    updated: new Date(metadata.updated ?? 0),
    contentEncoding: metadata.contentEncoding ?? null,
  };
}

async function explained<T>(bucket: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw explain(bucket, error);
  }
}
