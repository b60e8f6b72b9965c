/**
 * The file cannot be read any further: its structure is lost, or it is not of the kind that its name says. Rows that
 * were read before remain valid, but the file does not count as finished (D-52). `reason` is a sentence for the tenant.
 * It quotes nothing of the file's content but the names in its header row.
 */
export class DamagedFile extends Error {
  constructor(readonly reason: string) {
    super(reason);
    this.name = 'DamagedFile';
  }
}
