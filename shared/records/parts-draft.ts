import type { DocumentValue } from '../domain/records/document';
import { areSameFields, valueBytes } from '../domain/records/document';
import { PARTS_BETWEEN_YIELDS } from '../domain/limits';

/** How the parts of one kind are identified and merged. */
export interface PartRules<Part, Sent> {
  readonly keyOf: (part: Part | Sent) => string;
  readonly merge: (stored: Part | undefined, sent: Part | Sent) => Part;
}

interface Slot<Part> {
  part: Part;
  bytes: number;
  /** Position among the parts: ascending, with gaps, and negative for parts that were put before the first. */
  order: number;
}

/**
 * The parts of a record (variants or items) while many elements are merged into them one after the other. The result is
 * the same as that of `mergeParts` for each element. But all elements share one index of keys, and the stored bytes are
 * always known. The cost of an element depends on the parts that it has, not on those that the record has.
 */
export class PartsDraft<Part extends object, Sent extends object> {
  private readonly slots = new Map<string, Slot<Part>>();
  /** Parts with the key of an earlier part, as a change of the tenant's identifier leaves them. They are kept. */
  private duplicates: Slot<Part>[] = [];
  private lowestOrder = 0;
  private nextOrder = 0;
  private totalBytes = 0;
  /** Reverts the changes since the savepoint, in their order. */
  private undoLog: (() => void)[] = [];
  /** The parts that were put since the savepoint, as they were at it; undefined: there was none. */
  private before = new Map<string, Part | undefined>();

  constructor(
    stored: readonly Part[],
    private readonly rules: PartRules<Part, Sent>,
  ) {
    for (const part of stored) {
      const slot = { part, bytes: bytesOf(part), order: this.nextOrder };
      const key = rules.keyOf(part);
      this.nextOrder += 1;
      this.totalBytes += slot.bytes;
      if (this.slots.has(key)) this.duplicates.push(slot);
      else this.slots.set(key, slot);
    }
  }

  get count(): number {
    return this.slots.size + this.duplicates.length;
  }

  /** Stored bytes of all parts. */
  get bytes(): number {
    return this.totalBytes;
  }

  has(key: string): boolean {
    return this.slots.has(key);
  }

  keys(): IterableIterator<string> {
    return this.slots.keys();
  }

  /** Merges the parts of an element. Yields every PARTS_BETWEEN_YIELDS parts. */
  *merging(sent: readonly Sent[]): Generator<void, void> {
    for (const [index, part] of sent.entries()) {
      if ((index + 1) % PARTS_BETWEEN_YIELDS === 0) yield;
      const key = this.rules.keyOf(part);
      const slot = this.slots.get(key);
      this.put(key, this.rules.merge(slot?.part, part), slot?.order ?? this.nextOrder);
    }
  }

  /**
   * Appends the parts of another record. Of two parts with one key this record's wins, and the other supplies the
   * fields that it lacks. The cost is that of the smaller draft.
   * @returns the draft with all parts. Neither of the two drafts may be used otherwise, unless both are rolled back
   */
  absorb(other: PartsDraft<Part, Sent>): PartsDraft<Part, Sent> {
    for (const { part } of [...other.duplicates].sort(byOrder)) {
      const key = other.rules.keyOf(part);
      other.put(key, this.rules.merge(part, other.slots.get(key)?.part ?? part), other.slots.get(key)?.order ?? 0);
    }
    other.setDuplicates([]);
    if (this.slots.size < other.slots.size) return this.putBefore(other);
    for (const [key, { part }] of inOrder(other.slots)) {
      const slot = this.slots.get(key);
      this.put(key, slot ? this.rules.merge(part, slot.part) : part, slot?.order ?? this.nextOrder);
    }
    return this;
  }

  /** Sets the savepoint that later changes can be rolled back to. */
  setSavepoint(): void {
    this.undoLog = [];
    this.before = new Map();
  }

  /** Whether a part was added since the savepoint, or a value of one has changed. */
  get hasChanged(): boolean {
    return [...this.before].some(([key, part]) => !part || !areSameFields(part, this.slots.get(key)?.part ?? {}));
  }

  /** Reverts all changes since the savepoint. */
  rollBackToSavepoint(): void {
    for (const undo of this.undoLog.reverse()) undo();
    this.undoLog = [];
  }

  /** All parts, in their order. */
  toParts(): Part[] {
    const slots = [...this.slots.values(), ...this.duplicates];
    return slots.sort(byOrder).map(({ part }) => part);
  }

  /** Puts these parts before those of a larger draft. @returns the larger draft, which then holds all parts */
  private putBefore(larger: PartsDraft<Part, Sent>): PartsDraft<Part, Sent> {
    const movedDuplicates: Slot<Part>[] = [];
    const own = [...inOrder(this.slots), ...this.duplicates.map((slot) => [undefined, slot] as const)];
    for (const [key, slot] of own.sort(([, a], [, b]) => b.order - a.order)) {
      const order = larger.lowestOrder - 1;
      larger.setOrderBounds(order, larger.nextOrder);
      if (key === undefined) movedDuplicates.push({ ...slot, order });
      else {
        const existing = larger.slots.get(key);
        larger.put(key, existing ? this.rules.merge(existing.part, slot.part) : slot.part, order);
      }
    }
    larger.setDuplicates(movedDuplicates);
    return larger;
  }

  private put(key: string, part: Part, order: number): void {
    const before = this.slots.get(key);
    const slot = { part, bytes: bytesOf(part), order };
    if (!this.before.has(key)) this.before.set(key, before?.part);
    this.slots.set(key, slot);
    this.totalBytes += slot.bytes - (before?.bytes ?? 0);
    this.undoLog.push(() => {
      if (before) this.slots.set(key, before);
      else this.slots.delete(key);
      this.totalBytes += (before?.bytes ?? 0) - slot.bytes;
    });
    if (order >= this.nextOrder) this.setOrderBounds(this.lowestOrder, order + 1);
  }

  private setOrderBounds(lowest: number, next: number): void {
    const before = [this.lowestOrder, this.nextOrder] as const;
    [this.lowestOrder, this.nextOrder] = [lowest, next];
    this.undoLog.push(() => ([this.lowestOrder, this.nextOrder] = before));
  }

  private setDuplicates(duplicates: Slot<Part>[]): void {
    const before = this.duplicates;
    if (before.length + duplicates.length === 0) return;
    const change = bytesOfAll(duplicates) - bytesOfAll(before);
    this.duplicates = duplicates;
    this.totalBytes += change;
    this.undoLog.push(() => {
      this.duplicates = before;
      this.totalBytes -= change;
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
