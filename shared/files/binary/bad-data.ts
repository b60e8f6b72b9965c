/** Compressed bytes that are none, or are more than they may be. Whoever knows the file makes a DamagedFile of it. */
export class BadData extends Error {
  constructor(readonly flaw: 'corrupt' | 'too large' = 'corrupt') {
    super(flaw);
    this.name = 'BadData';
  }
}
