/** A file of the reference, compressed when it was made. */
export interface Asset {
  readonly contentType: string;
  /** Changes with its content. */
  readonly version: string;
  /** Whether its name has its version, so that it never changes. */
  readonly isImmutable: boolean;
  readonly gzip: Uint8Array;
  readonly br: Uint8Array;
}

/** The files by their paths below `/docs`; the page itself has the empty one. */
export type Assets = ReadonlyMap<string, Asset>;
