/** Whether a run would be able to read a bucket: asked as the function that reads it, `transfer-runner`. */

/** `denied`: the service may not list the folder, or may not read an object in it. `notFound`: there is no bucket. */
export type BucketAccess = 'ok' | 'denied' | 'notFound';

export interface BucketLook {
  /**
   * Lists one object with the prefix and looks whether it may be read. Nothing of its content is read.
   * @throws Error when Cloud Storage does not answer within BUCKET_LOOK_MS, or refuses for another reason
   */
  accessTo(bucket: string, prefix: string): Promise<BucketAccess>;
}
