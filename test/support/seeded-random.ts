import { createHash } from 'node:crypto';
import type { Random } from '../../shared/platform/random';

/** Randomness that is the same in every run and never repeats itself within one. */
export class SeededRandom implements Random {
  private drawn = 0;

  constructor(private readonly seed = 'seed') {}

  bytes(size: number): Buffer {
    const blocks: Buffer[] = [];
    for (let length = 0; length < size; length += 32) blocks.push(this.block());
    return Buffer.concat(blocks).subarray(0, size);
  }

  fraction(): number {
    return this.block().readUInt32BE() / 2 ** 32;
  }

  private block(): Buffer {
    this.drawn += 1;
    return createHash('sha256').update(`${this.seed} ${this.drawn}`).digest();
  }
}
