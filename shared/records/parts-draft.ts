import type { DocumentValue } from '../domain/records/document';
import { valueBytes } from '../domain/records/document';
import { PARTS_IN_STEP } from '../domain/limits';

/** What tells parts of one kind apart, and what becomes of a stored one when another with its key is sent. */
export interface PartRules<Part, Sent> {
  readonly keyOf: (part: Part | Sent) => string;
  readonly merge: (stored: Part | undefined, sent: Part | Sent) => Part;
}

interface Slot<Part> {
  part: Part;
  bytes: number;
  /** Its place among the others: the lowest comes first. */
  order: number;
}

/**
 * Variants of a product or items of an order while many elements are merged into them, one after the other: the same
 * as `mergeParts` for each, with one index of keys for all, and their bytes always known. The work of an element
 * depends on the parts that it brings, not on those that are there.
 */
export class PartsDraft<Part extends object, Sent extends object> {
  private readonly slots = new Map<string, Slot<Part>>();
  /** Parts with the key of one before them, as a change of the tenant's identifier leaves them; they stay. */
  private shadows: Slot<Part>[] = [];
  private first = 0;
  private next = 0;
  private sum = 0;
  private undo: (() => void)[] = [];

  constructor(
    stored: readonly Part[],
    private readonly rules: PartRules<Part, Sent>,
  ) {
    for (const part of stored) {
      const slot = { part, bytes: bytesOf(part), order: this.next };
      const key = rules.keyOf(part);
      this.next += 1;
      this.sum += slot.bytes;
      if (this.slots.has(key)) this.shadows.push(slot);
      else this.slots.set(key, slot);
    }
  }

  get count(): number {
    return this.slots.size + this.shadows.length;
  }

  /** Stored bytes of all parts. */
  get bytes(): number {
    return this.sum;
  }

  has(key: string): boolean {
    return this.slots.has(key);
  }

  keys(): IterableIterator<string> {
    return this.slots.keys();
  }

  /** In steps of PARTS_IN_STEP parts. */
  *merging(sent: readonly Sent[]): Generator<void, void> {
    for (const [index, part] of sent.entries()) {
      if ((index + 1) % PARTS_IN_STEP === 0) yield;
      const key = this.rules.keyOf(part);
      const slot = this.slots.get(key);
      this.put(key, this.rules.merge(slot?.part, part), slot?.order ?? this.next);
    }
  }

  /**
   * These parts with those of another record behind them; of two with one key this one wins, and the other gives what
   * it lacks. The work is that of the smaller one. Neither of the two is used afterwards, unless it is taken back.
   */
  absorb(other: PartsDraft<Part, Sent>): PartsDraft<Part, Sent> {
    for (const { part } of [...other.shadows].sort(byOrder)) {
      const key = other.rules.keyOf(part);
      other.put(key, this.rules.merge(part, other.slots.get(key)?.part ?? part), other.slots.get(key)?.order ?? 0);
    }
    other.setShadows([]);
    if (this.slots.size < other.slots.size) return this.putBefore(other);
    for (const [key, { part }] of inOrder(other.slots)) {
      const slot = this.slots.get(key);
      this.put(key, slot ? this.rules.merge(part, slot.part) : part, slot?.order ?? this.next);
    }
    return this;
  }

  /** Makes what comes a step that can be taken back. */
  setSavepoint(): void {
    this.undo = [];
  }

  rollBackToSavepoint(): void {
    for (const undo of this.undo.reverse()) undo();
    this.undo = [];
  }

  /** In their order. */
  toParts(): Part[] {
    const slots = [...this.slots.values(), ...this.shadows];
    return slots.sort(byOrder).map(({ part }) => part);
  }

  /** Puts these parts before those of a larger one, which then holds all. */
  private putBefore(larger: PartsDraft<Part, Sent>): PartsDraft<Part, Sent> {
    const moved: Slot<Part>[] = [];
    const mine = [...inOrder(this.slots), ...this.shadows.map((slot) => [undefined, slot] as const)];
    for (const [key, slot] of mine.sort(([, a], [, b]) => b.order - a.order)) {
      const order = larger.first - 1;
      larger.setEnds(order, larger.next);
      if (key === undefined) moved.push({ ...slot, order });
      else {
        const met = larger.slots.get(key);
        larger.put(key, met ? this.rules.merge(met.part, slot.part) : slot.part, order);
      }
    }
    larger.setShadows(moved);
    return larger;
  }

  private put(key: string, part: Part, order: number): void {
    const before = this.slots.get(key);
    const slot = { part, bytes: bytesOf(part), order };
    this.slots.set(key, slot);
    this.sum += slot.bytes - (before?.bytes ?? 0);
    this.undo.push(() => {
      if (before) this.slots.set(key, before);
      else this.slots.delete(key);
      this.sum += (before?.bytes ?? 0) - slot.bytes;
    });
    if (order >= this.next) this.setEnds(this.first, order + 1);
  }

  private setEnds(first: number, next: number): void {
    const before = [this.first, this.next] as const;
    [this.first, this.next] = [first, next];
    this.undo.push(() => ([this.first, this.next] = before));
  }

  private setShadows(shadows: Slot<Part>[]): void {
    const before = this.shadows;
    if (before.length + shadows.length === 0) return;
    const change = bytesOfAll(shadows) - bytesOfAll(before);
    this.shadows = shadows;
    this.sum += change;
    this.undo.push(() => {
      this.shadows = before;
      this.sum -= change;
    });
  }
}

function inOrder<Part>(slots: ReadonlyMap<string, Slot<Part>>): [string, Slot<Part>][] {
  return [...slots].sort(([, a], [, b]) => a.order - b.order);
}

function byOrder(a: { readonly order: number }, b: { readonly order: number }): number {
  return a.order - b.order;
}

function bytesOf(part: object): number {
  return valueBytes(part as DocumentValue);
}

function bytesOfAll(slots: readonly { readonly bytes: number }[]): number {
  return slots.reduce((sum, { bytes }) => sum + bytes, 0);
}
