/** The contents of files by their names. */
export type Files = Readonly<Record<string, Uint8Array>>;
