/** A file for browsers, compressed when it was made. */
export interface Asset {
  readonly contentType: string;
  /** Changes with its content. */
  readonly version: string;
  /** Whether its name has its version, so that it never changes. */
  readonly isImmutable: boolean;
  readonly gzip: Uint8Array;
  readonly br: Uint8Array;
}

/** The files of a function by their paths below its name; its page has the empty one. */
export type Assets = ReadonlyMap<string, Asset>;
