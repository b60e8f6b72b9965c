const MINUTE_MS = 60_000;

/** Amounts by the minute in which they fall: for the worst minute, or the worst few in a row. */
export class Rates {
  private readonly minutes: number[] = [];

  /** Spreads an amount evenly over a time. */
  add(fromMs: number, toMs: number, amount: number): void {
    const first = Math.floor(fromMs / MINUTE_MS);
    const last = Math.max(first, Math.ceil(toMs / MINUTE_MS) - 1);
    const lastingMs = toMs - fromMs;
    for (let minute = first; minute <= last; minute += 1) {
      const inMinuteMs = Math.min(toMs, (minute + 1) * MINUTE_MS) - Math.max(fromMs, minute * MINUTE_MS);
      const part = lastingMs === 0 ? 1 : inMinuteMs / lastingMs;
      this.minutes[minute] = (this.minutes[minute] ?? 0) + amount * part;
    }
  }

  /** The amount a second in the worst of so many minutes in a row. */
  peakASecond(minutes = 1): number {
    let worst = 0;
    let sum = 0;
    for (let minute = 0; minute < this.minutes.length; minute += 1) {
      sum += (this.minutes[minute] ?? 0) - (this.minutes[minute - minutes] ?? 0);
      worst = Math.max(worst, sum);
    }
    return worst / (minutes * 60);
  }
}
