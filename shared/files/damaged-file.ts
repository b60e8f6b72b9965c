import { MAX_INFLATED_BYTES } from '../limits/transfers';

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

/** @throws DamagedFile where a file has inflated to more than it may */
export function requireInflatedAtMost(inflatedBytes: number, maxBytes = MAX_INFLATED_BYTES): void {
  if (inflatedBytes > maxBytes) throw new DamagedFile(`The file inflates to more than ${maxBytes} bytes.`);
}
