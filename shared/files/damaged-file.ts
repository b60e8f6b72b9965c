/**
 * The file cannot be read on from here: its structure is lost, or it is no such file. `reason` is a sentence for the
 * tenant and holds nothing of the file's content but the names in its header row. Rows that were read before it stand;
 * the file is not finished (D-52).
 */
export class DamagedFile extends Error {
  constructor(readonly reason: string) {
    super(reason);
    this.name = 'DamagedFile';
  }
}
