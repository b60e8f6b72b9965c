/** What a simulation draws: millions of numbers, so that a hash for each (`SeededRandom`) takes too long. */
import { createHash } from 'node:crypto';
import type { Random } from '../../../shared/platform/random';

/** Numbers that are the same for the same seed (xoshiro128**). */
export class FastRandom implements Random {
  private readonly state: Uint32Array;

  constructor(seed: string) {
    const digest = createHash('sha256').update(seed).digest();
    this.state = Uint32Array.from({ length: 4 }, (_, index) => digest.readUInt32LE(4 * index));
  }

  bytes(size: number): Buffer {
    return Buffer.from(Array.from({ length: size }, () => Math.floor(this.fraction() * 256)));
  }

  fraction(): number {
    const { state } = this;
    const [first = 0, second = 0, third = 0, fourth = 0] = state;
    const result = Math.imul(rotate(Math.imul(second, 5), 7), 9) >>> 0;
    const [mixedThird, mixedFourth] = [third ^ first, fourth ^ second];
    state[1] = second ^ mixedThird;
    state[0] = first ^ mixedFourth;
    state[2] = mixedThird ^ (second << 9);
    state[3] = rotate(mixedFourth, 11);
    return result / 2 ** 32;
  }
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

/** The time to the next of events that come independently of each other. */
export function exponential(mean: number, random: Random): number {
  return -mean * Math.log(1 - random.fraction());
}

export function standardNormal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.fraction())) * Math.cos(2 * Math.PI * random.fraction());
}

/** One of some values, each as likely. */
export function oneOf<T>(values: readonly T[], random: Random): T {
  return values[Math.floor(random.fraction() * values.length)]!;
}
