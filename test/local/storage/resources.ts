import type { StoredObject } from './object-files';

/** An object as the JSON API describes it. */
export function toObjectResource(stored: StoredObject, checksum: string): object {
  const { bucket, name, generation, updatedAt, metadata } = stored;
  const path = `b/${bucket}/o/${encodeURIComponent(name)}`;
  const updated = updatedAt.toISOString();
  return {
    kind: 'storage#object',
    id: `${bucket}/${name}/${generation}`,
    selfLink: `/storage/v1/${path}`,
    mediaLink: `/download/storage/v1/${path}?generation=${generation}&alt=media`,
    name,
    bucket,
    generation,
    metageneration: '1',
    storageClass: 'STANDARD',
    contentType: 'application/octet-stream',
    ...metadata,
    size: String(stored.sizeBytes),
    crc32c: checksum,
    etag: toEtag(stored),
    timeCreated: updated,
    updated,
    timeStorageClassUpdated: updated,
  };
}

/** A bucket as the JSON API describes it. */
export function toBucketResource(bucket: string, createdAt: Date): object {
  const created = createdAt.toISOString();
  return {
    kind: 'storage#bucket',
    id: bucket,
    name: bucket,
    selfLink: `/storage/v1/b/${bucket}`,
    location: 'EU',
    storageClass: 'STANDARD',
    metageneration: '1',
    etag: 'CAE=',
    timeCreated: created,
    updated: created,
  };
}

export function toEtag({ generation }: StoredObject): string {
  return Buffer.from(generation).toString('base64');
}
