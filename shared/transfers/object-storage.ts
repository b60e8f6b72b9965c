/** Buckets as transfers see them: listing, reading one generation of an object, and keeping reports. */

export interface StoredObject {
  readonly name: string;
  /** Changes whenever the object is replaced. */
  readonly generation: string;
  /** Stored bytes. */
  readonly size: number;
  readonly updated: Date;
  readonly contentEncoding: string | null;
}

export interface ObjectPage {
  readonly objects: readonly StoredObject[];
  /** Undefined on the last page. */
  readonly nextPageToken?: string | undefined;
}

/**
 * Cloud Storage refuses a request, and would refuse a repeat. The message says what to do about it, and is shown as a
 * run's error (D-56).
 */
export abstract class Refusal extends Error {}

/** The bucket refuses the service's identity. */
export class AccessDenied extends Refusal {
  override readonly name = 'AccessDenied';
}

/** There is no such bucket. */
export class BucketMissing extends Refusal {
  override readonly name = 'BucketMissing';
}

/** Any other reason: the message ends with Cloud Storage's own. */
export class RequestRefused extends Refusal {
  override readonly name = 'RequestRefused';
}

/** The object, or this generation of it, is no longer there. */
export class ObjectGone extends Error {
  override readonly name = 'ObjectGone';
}

/** Removes objects from a bucket of the service's own. */
export interface ObjectRemoval {
  /** Removes an object; does nothing when there is none. @throws Refusal */
  remove(bucket: string, name: string): Promise<void>;
}

export interface ObjectStorage {
  /** A page of the objects with a prefix, in the order of their names. @throws Refusal */
  list(bucket: string, prefix: string, limit: number, pageToken?: string): Promise<ObjectPage>;
  /** The object as it is now; undefined when there is none. @throws Refusal */
  find(bucket: string, name: string): Promise<StoredObject | undefined>;
  /** The stored bytes of one generation from an offset on, not inflated. @throws ObjectGone, Refusal */
  read(bucket: string, object: Pick<StoredObject, 'name' | 'generation'>, offset: number): AsyncIterable<Buffer>;
  /** Writes an object, replacing an earlier one of this name. @returns its generation */
  write(bucket: string, name: string, content: string): Promise<string>;
}
