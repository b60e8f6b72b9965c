/** The folder of buckets as the stand-in sees it: finds, lists, replaces and removes objects. Knows nothing of HTTP. */
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { access, mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { accessDenied, bucketNotFound, invalidRequest, objectNotFound, preconditionFailed } from './api-error';
import { crc32c } from './crc32c';
import type { ObjectMetadata } from './object-metadata';
import { readObjectMetadata, removeObjectMetadata, writeObjectMetadata } from './object-metadata';
import { ACCESS_DENIED_FILE, findBucketFolder, resolveObjectPath } from './object-path';

/** What a request demands of the object's state. */
export interface Preconditions {
  /** Only this generation is meant; another one is "not found". */
  readonly generation?: string;
  /** Fails unless this is the generation; `0`: unless there is no such object. */
  readonly ifGenerationMatch?: string;
}

/** One generation of an object. */
export interface StoredObject {
  readonly bucket: string;
  readonly name: string;
  /** The file's modification time in microseconds, so that a replaced file has another one. */
  readonly generation: string;
  readonly sizeBytes: number;
  readonly updatedAt: Date;
  readonly metadata: ObjectMetadata;
}

/** A stored object whose file is open; the reader closes it. */
export interface OpenObject extends StoredObject {
  readonly handle: FileHandle;
  /** Base64; computed once for a state of the file. */
  checksum(): Promise<string>;
}

export class ObjectFiles {
  /** By file: the checksum and the state of the file that it belongs to. */
  private readonly checksums = new Map<string, { state: string; checksum: string }>();

  /** @param root absolute and without symbolic links. */
  constructor(readonly root: string) {}

  /**
   * The folder of a bucket.
   * @throws StorageApiError 404 or 403.
   */
  async requireBucket(bucket: string): Promise<string> {
    const folder = await findBucketFolder(this.root, bucket);
    if (folder === undefined) throw bucketNotFound();
    if (await exists(join(folder, ACCESS_DENIED_FILE))) throw accessDenied(bucket);
    return folder;
  }

  /** The names of a bucket's objects in the order of their UTF-8 bytes. */
  async listNames(bucket: string): Promise<string[]> {
    const folder = await this.requireBucket(bucket);
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
      .filter((name) => name !== ACCESS_DENIED_FILE)
      .sort(compareBytes);
  }

  /** @throws StorageApiError 403, 404 or 412. */
  async openObject(bucket: string, name: string, preconditions: Preconditions = {}): Promise<OpenObject> {
    const file = await resolveObjectPath(await this.requireBucket(bucket), name);
    const handle = file === undefined ? undefined : await openFile(file);
    if (file === undefined || !handle) throw objectNotFound(bucket, name);
    try {
      const state = await handle.stat({ bigint: true });
      const generation = toGeneration(state.mtimeNs);
      const { generation: wanted = generation, ifGenerationMatch = generation } = preconditions;
      if (!state.isFile() || wanted !== generation) throw objectNotFound(bucket, name);
      if (ifGenerationMatch !== generation) throw preconditionFailed();
      const metadata = await readObjectMetadata(this.root, bucket, name, generation);
      const stateKey = `${state.ino} ${state.size} ${state.mtimeNs}`;
      return {
        bucket,
        name,
        generation,
        sizeBytes: Number(state.size),
        updatedAt: state.mtime,
        metadata,
        handle,
        checksum: () => this.checksumOf(file, stateKey, handle),
      };
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /**
   * Puts a complete file, which it takes over, in an object's place; readers see the old or the new one.
   * @throws StorageApiError 400 when no file can have that name, 403, 404 or 412.
   */
  async replaceObject(
    bucket: string,
    name: string,
    content: { file: string; metadata: ObjectMetadata },
    ifGenerationMatch?: string,
  ): Promise<void> {
    const target = await resolveObjectPath(await this.requireBucket(bucket), name);
    if (target === undefined) throw invalidRequest(`Invalid object name for a folder of files: ${name}`);
    const previous = await this.findGeneration(bucket, name);
    if (ifGenerationMatch !== undefined && ifGenerationMatch !== (previous ?? '0')) throw preconditionFailed();
    const generation = await ensureLaterGeneration(content.file, previous);
    try {
      await mkdir(dirname(target), { recursive: true });
      await writeObjectMetadata(this.root, bucket, name, { generation, metadata: content.metadata });
      await rename(content.file, target);
    } catch (error) {
      throw invalidRequest(`The object cannot be kept as a file: ${(error as Error).message}`);
    }
  }

  /** @throws StorageApiError 403, 404 or 412. */
  async removeObject(bucket: string, name: string, preconditions: Preconditions): Promise<void> {
    const found = await this.openObject(bucket, name, preconditions);
    await found.handle.close();
    await rm(join(this.root, bucket, name));
    await removeObjectMetadata(this.root, bucket, name);
  }

  private async findGeneration(bucket: string, name: string): Promise<string | undefined> {
    try {
      const found = await this.openObject(bucket, name);
      await found.handle.close();
      return found.generation;
    } catch {
      return undefined;
    }
  }

  private async checksumOf(file: string, state: string, handle: FileHandle): Promise<string> {
    const known = this.checksums.get(file);
    if (known?.state === state) return known.checksum;
    const checksum = await crc32c(handle.createReadStream({ start: 0, autoClose: false }) as AsyncIterable<Buffer>);
    this.checksums.set(file, { state, checksum });
    return checksum;
  }
}

/** Orders texts by their UTF-8 bytes, as Cloud Storage lists names. */
export function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** The generation of a file that was changed at this time. */
export function toGeneration(mtimeNs: bigint): string {
  return String(mtimeNs / 1_000n);
}

/** The file's generation, after moving its time if the object's previous generation was not earlier. */
async function ensureLaterGeneration(file: string, previous: string | undefined): Promise<string> {
  const generationOf = async () => toGeneration((await stat(file, { bigint: true })).mtimeNs);
  const generation = await generationOf();
  if (previous === undefined || BigInt(generation) > BigInt(previous)) return generation;
  const laterSeconds = Number(previous) / 1_000_000 + 0.001;
  await utimes(file, laterSeconds, laterSeconds);
  return generationOf();
}

async function openFile(file: string): Promise<FileHandle | undefined> {
  try {
    return await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch {
    return undefined;
  }
}

async function exists(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch {
    return false;
  }
}
