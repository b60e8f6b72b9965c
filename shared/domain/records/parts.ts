import type { DocumentValue } from './document';
import { areSameFields, valueBytes } from './document';
import { PARTS_BETWEEN_YIELDS } from '../limits';

/**
 * The parts of a record (variants of a product, items of an order), into which sent parts are merged one after the
 * other (D-06, D-07). A sent part is merged into the first part with the same key; without one, it is added at the end.
 * No part is removed. Keys and sizes are computed once, so the work is linear in the stored and sent parts, however
 * many times parts are added.
 *
 * The generators yield after every PARTS_BETWEEN_YIELDS parts, so that other work can have the event loop.
 */
export class MergedParts<Part extends object, Sent extends object> {
  private readonly parts: Part[];
  /** The index of the first part of each key, among the first `indexed` parts. */
  private readonly indexByKey = new Map<string, number>();
  private indexed = 0;
  /** Stored bytes of the first `measured` parts. */
  private bytes = 0;
  private measured = 0;
  /** The parts that the last `adding` has replaced. */
  private replaced: [index: number, before: Part][] = [];
  private lengthBefore: number;

  constructor(
    stored: readonly Part[],
    private readonly keyOf: (part: Part | Sent) => string,
  ) {
    this.parts = [...stored];
    this.lengthBefore = stored.length;
  }

  /** All current parts. Later additions change the same array. */
  get all(): readonly Part[] {
    return this.parts;
  }

  /** Whether the last `adding` has added a part or changed a value of one. */
  get hasChanged(): boolean {
    if (this.parts.length > this.lengthBefore) return true;
    // Where a part was replaced more than once, its first entry counts.
    const replaced = new Map([...this.replaced].reverse());
    return [...replaced].some(([index, before]) => !areSameFields(before, this.parts[index] ?? {}));
  }

  /** Merges sent parts. */
  *adding(sent: readonly Sent[], merge: (before: Part | undefined, sent: Sent) => Part): Generator<void, void> {
    this.replaced = [];
    this.lengthBefore = this.parts.length;
    if (sent.length === 0) return;
    yield* this.indexing();
    for (const [done, part] of sent.entries()) {
      const key = this.keyOf(part);
      const index = this.indexByKey.get(key);
      if (index === undefined) {
        this.indexByKey.set(key, this.parts.length);
        this.indexed = this.parts.push(merge(undefined, part));
      } else this.replace(index, part, merge);
      if ((done + 1) % PARTS_BETWEEN_YIELDS === 0) yield;
    }
  }

  /** Counts the stored bytes of all parts. */
  *measuring(): Generator<void, number> {
    while (this.measured < this.parts.length) {
      this.bytes += partBytes(this.parts[this.measured]);
      this.measured += 1;
      if (this.measured % PARTS_BETWEEN_YIELDS === 0) yield;
    }
    return this.bytes;
  }

  /** Undoes the last `adding`. */
  undo(): void {
    for (const part of this.parts.slice(this.lengthBefore)) this.indexByKey.delete(this.keyOf(part));
    while (this.measured > this.lengthBefore) this.bytes -= partBytes(this.parts[(this.measured -= 1)]);
    this.parts.length = this.lengthBefore;
    this.indexed = Math.min(this.indexed, this.lengthBefore);
    for (const [index, before] of this.replaced.reverse()) {
      if (index < this.lengthBefore) this.put(index, before);
    }
    this.replaced = [];
  }

  private *indexing(): Generator<void, void> {
    for (; this.indexed < this.parts.length; this.indexed += 1) {
      const part = this.parts[this.indexed];
      const key = part && this.keyOf(part);
      if (key !== undefined && !this.indexByKey.has(key)) this.indexByKey.set(key, this.indexed);
      if (this.indexed % PARTS_BETWEEN_YIELDS === 0) yield;
    }
  }

  private replace(index: number, sent: Sent, merge: (before: Part | undefined, sent: Sent) => Part): void {
    const before = this.parts[index];
    if (before) this.replaced.push([index, before]);
    this.put(index, merge(before, sent));
  }

  private put(index: number, part: Part): void {
    if (index < this.measured) this.bytes += partBytes(part) - partBytes(this.parts[index]);
    this.parts[index] = part;
  }
}

/** The stored parts with the sent parts merged into them; see `MergedParts`. */
export function mergeParts<Part extends object, Sent extends object>(
  stored: readonly Part[],
  sent: readonly Sent[],
  keyOf: (part: Part | Sent) => string,
  merge: (before: Part | undefined, sent: Sent) => Part,
): readonly Part[] {
  const parts = new MergedParts<Part, Sent>(stored, keyOf);
  runToEnd(parts.adding(sent, merge));
  return parts.all;
}

/** Runs a generator to its end without a pause. @returns its result */
export function runToEnd<R>(steps: Generator<void, R>): R {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

function partBytes(part: object | undefined): number {
  return valueBytes(part as DocumentValue | undefined);
}
