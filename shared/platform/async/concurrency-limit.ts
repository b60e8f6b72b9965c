/** Lets so many pieces of work go on at once; others wait until it is their turn, first come first served. */
export class ConcurrencyLimit {
  private taken = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly atOnce: number) {}

  /** Does the work when it is its turn. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.taken >= this.atOnce) await new Promise<void>((begin) => this.waiting.push(begin));
    else this.taken += 1;
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.taken -= 1;
    }
  }
}
