import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { METADATA_FOLDER } from './object-path';

/** What an upload says about its object and a file cannot keep. */
export interface ObjectMetadata {
  readonly contentType?: string;
  readonly contentEncoding?: string;
  readonly contentLanguage?: string;
  readonly contentDisposition?: string;
  readonly cacheControl?: string;
  /** The user's own names and values. */
  readonly metadata?: Readonly<Record<string, string>>;
}

interface Sidecar {
  /** The object's generation that the metadata belongs to: a file that was replaced by hand has none. */
  readonly generation: string;
  readonly metadata: ObjectMetadata;
}

const TEXT_FIELDS = [
  'contentType',
  'contentEncoding',
  'contentLanguage',
  'contentDisposition',
  'cacheControl',
] as const;

/** Keeps the known fields of an upload's metadata. */
export function parseObjectMetadata(fields: Readonly<Record<string, unknown>>): ObjectMetadata {
  const texts = TEXT_FIELDS.flatMap((name) => {
    const value = fields[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  const custom = fields.metadata;
  return {
    ...Object.fromEntries(texts),
    ...(typeof custom === 'object' && custom !== null && { metadata: custom as Record<string, string> }),
  };
}

/** The metadata of one generation of an object; empty when no upload through the API made it. */
export async function readObjectMetadata(
  root: string,
  bucket: string,
  name: string,
  generation: string,
): Promise<ObjectMetadata> {
  try {
    const sidecar = JSON.parse(await readFile(sidecarFile(root, bucket, name), 'utf8')) as Sidecar;
    return sidecar.generation === generation ? sidecar.metadata : {};
  } catch {
    return {};
  }
}

export async function writeObjectMetadata(root: string, bucket: string, name: string, sidecar: Sidecar): Promise<void> {
  const file = sidecarFile(root, bucket, name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(sidecar));
}

export async function removeObjectMetadata(root: string, bucket: string, name: string): Promise<void> {
  await rm(sidecarFile(root, bucket, name), { force: true });
}

/** By the name's hash: as paths, `a.json/b` and `a` would collide. */
function sidecarFile(root: string, bucket: string, name: string): string {
  const hash = createHash('sha256').update(name).digest('hex');
  return join(root, METADATA_FOLDER, 'objects', bucket, `${hash}.json`);
}
