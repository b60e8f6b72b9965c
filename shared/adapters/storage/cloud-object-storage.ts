import type { File, Storage } from '@google-cloud/storage';
import type { Clock } from '../../platform/clock';
import type { Config } from '../../config';
import { CALL_TIMEOUT_MS } from '../../limits/platform';
import { DOWNLOAD_IDLE_MS } from '../../limits/transfers';
import type { ObjectPage, ObjectRemoval, ObjectStorage, StoredObject } from '../../transfers/object-storage';
import { ObjectGone } from '../../transfers/object-storage';
import { lazyClient } from '../lazy-client';
import { download, SERVICE_URL } from './download';
import { withIdleTimeout } from './idle-timeout';
import { toStorageError, httpStatus } from './refusals';

/** `ObjectStorage` on Cloud Storage. The first call loads the SDK. */
export class CloudObjectStorage implements ObjectStorage, ObjectRemoval {
  private readonly connected: () => Promise<Storage>;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
  ) {
    this.connected = lazyClient(() => connect(config));
  }

  async list(bucket: string, prefix: string, limit: number, pageToken?: string): Promise<ObjectPage> {
    const query = { prefix, maxResults: limit, autoPaginate: false, ...(pageToken !== undefined && { pageToken }) };
    const [files, next] = await withStorageErrors(bucket, async () =>
      (await this.connected()).bucket(bucket).getFiles(query),
    );
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
    const ending = new AbortController();
    const bytes = this.download(bucket, { name, generation }, offset, ending.signal);
    try {
      yield* withIdleTimeout(bytes, DOWNLOAD_IDLE_MS, this.clock);
    } catch (error) {
      if (httpStatus(error) === 404) throw new ObjectGone(`${name} was replaced or removed while it was read.`);
      if (httpStatus(error) === 416) return; // the offset is at the end of the object
      throw toStorageError(bucket, error);
    } finally {
      ending.abort();
    }
  }

  async write(bucket: string, name: string, content: string): Promise<string> {
    const file = (await this.connected()).bucket(bucket).file(name);
    await file.save(content, { resumable: false, contentType: 'application/x-ndjson' });
    return String(file.metadata.generation);
  }

  async remove(bucket: string, name: string): Promise<void> {
    const removal = async () => (await this.connected()).bucket(bucket).file(name).delete({ ignoreNotFound: true });
    await withStorageErrors(bucket, removal);
  }

  private async *download(
    bucket: string,
    { name, generation }: Pick<StoredObject, 'name' | 'generation'>,
    offset: number,
    signal: AbortSignal,
  ): AsyncGenerator<Buffer, void, undefined> {
    const { storage: emulator } = this.config.emulators;
    const path = `/storage/v1/b/${encodeURIComponent(bucket)}/o/${encodeURIComponent(name)}`;
    const url = new URL(`${path}?generation=${generation}&alt=media`, emulator ?? SERVICE_URL);
    const headers = emulator === undefined ? await this.authorization(url) : {};
    yield* download({ url, headers, offset }, this.clock, signal);
  }

  /** A token for the account that the function runs as. The library caches and renews it. */
  private async authorization(url: URL): Promise<Record<string, string>> {
    const { authClient } = await this.connected();
    return { ...(await authClient.getRequestHeaders(url.href)) };
  }
}

async function connect(config: Config): Promise<Storage> {
  const { IdempotencyStrategy, Storage } = await import('@google-cloud/storage');
  const emulator = config.emulators.storage;
  return new Storage({
    projectId: config.projectId,
    timeout: CALL_TIMEOUT_MS,
    // Every report has a unique name, so writing it again changes nothing.
    retryOptions: { idempotencyStrategy: IdempotencyStrategy.RetryAlways },
    ...(emulator !== undefined && { apiEndpoint: emulator, useAuthWithCustomEndpoint: false }),
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

async function withStorageErrors<T>(bucket: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw toStorageError(bucket, error);
  }
}
