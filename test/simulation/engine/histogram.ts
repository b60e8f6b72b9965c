/** Each bucket reaches 5 % further than the one before it. */
const GROWTH = 1.05;
const SMALLEST = 0.01;

/** Values in buckets that grow geometrically: percentiles within 5 %, however many values there are. */
export class Histogram {
  count = 0;
  max = 0;
  private sum = 0;
  private readonly buckets: number[] = [];

  /** @param value at least 0 */
  add(value: number): void {
    const bucket = value <= SMALLEST ? 0 : Math.ceil(Math.log(value / SMALLEST) / Math.log(GROWTH));
    this.buckets[bucket] = (this.buckets[bucket] ?? 0) + 1;
    this.count += 1;
    this.sum += value;
    this.max = Math.max(this.max, value);
  }

  /** 0 without values. */
  get mean(): number {
    return this.count === 0 ? 0 : this.sum / this.count;
  }

  /** The upper end of the bucket of a percentile (nearest rank); 0 without values. @param share above 0, at most 1 */
  percentile(share: number): number {
    let left = Math.ceil(share * this.count);
    for (let bucket = 0; bucket < this.buckets.length; bucket += 1) {
      left -= this.buckets[bucket] ?? 0;
      if (left <= 0 && this.count > 0) return bucket === 0 ? 0 : Math.min(this.max, SMALLEST * GROWTH ** bucket);
    }
    return 0;
  }
}
