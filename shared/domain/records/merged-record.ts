import type { DocumentData, DocumentValue } from './document';
import { areSameFields, fieldBytes, isList, valueBytes } from './document';
import { MergedParts, runToEnd } from './parts';

/** How records of a kind with parts are merged. */
export interface MergeRules<R extends object, Sent extends object, Part extends object, SentPart extends object> {
  /** The name of the field that holds the parts. */
  readonly partsField: keyof R & string;
  readonly partsOf: (record: R) => readonly Part[];
  readonly sentPartsOf: (sent: Sent) => readonly SentPart[];
  /** The key of a part within its record. */
  readonly keyOf: (part: Part | SentPart) => string;
  readonly mergePart: (before: Part | undefined, sent: SentPart) => Part;
  /** The record after an upsert, with these parts; `before` undefined: it is created. */
  readonly after: (before: R | undefined, sent: Sent, parts: readonly Part[]) => R;
}

/**
 * A record into which upserts are merged, one after the other (D-07), and its size in bytes. The work is linear in the
 * size of the stored record and of all upserts, however many there are. `adding` lets other work run while a long
 * upsert is merged.
 */
export class MergedRecord<R extends object, Sent extends object, Part extends object, SentPart extends object> {
  private readonly parts: MergedParts<Part, SentPart>;
  private before: R | undefined;
  private current: R | undefined;
  /** Known bytes of fields that are lists. Only the list of parts changes in place; other lists are replaced. */
  private readonly listBytes = new Map<string, { readonly list: DocumentValue; readonly bytes: number }>();

  /** @param stored the stored record; undefined: there is none */
  constructor(
    private readonly rules: MergeRules<R, Sent, Part, SentPart>,
    stored: R | undefined,
  ) {
    this.before = stored;
    this.current = stored;
    this.parts = new MergedParts<Part, SentPart>(stored ? rules.partsOf(stored) : [], rules.keyOf);
  }

  /** The current record; undefined: there is none. Later upserts change its parts in place. */
  get record(): R | undefined {
    return this.current;
  }

  /** Merges an upsert. */
  add(sent: Sent): void {
    runToEnd(this.adding(sent));
  }

  /** The same, but yields in between, so that other work can have the event loop. */
  *adding(sent: Sent): Generator<void, void> {
    this.before = this.current;
    yield* this.parts.adding(this.rules.sentPartsOf(sent), this.rules.mergePart);
    this.current = this.rules.after(this.before, sent, this.parts.all);
    yield* this.parts.measuring();
  }

  /** Whether the last upsert has changed a value, or created the record. */
  get hasChanged(): boolean {
    if (this.parts.hasChanged) return true;
    const noParts = { [this.rules.partsField]: undefined }; // they change in place, and are compared above
    return !areSameFields({ ...this.before, ...noParts }, { ...this.current, ...noParts });
  }

  /** Undoes the last upsert. Only one upsert can be undone. */
  undo(): void {
    this.parts.undo();
    this.current = this.before;
  }

  /** Stored bytes of the record's fields. */
  bytes(): number {
    const data: DocumentData = { ...this.current };
    let bytes = 0;
    for (const name in data) bytes += this.fieldBytes(name, data[name]);
    return bytes;
  }

  /** The field that takes the most bytes. */
  largestField(): string {
    const data: DocumentData = { ...this.current };
    const sizes = Object.keys(data).map((name) => ({ name, bytes: this.fieldBytes(name, data[name]) }));
    return sizes.reduce((largest, field) => (field.bytes > largest.bytes ? field : largest)).name;
  }

  private fieldBytes(name: string, value: DocumentValue | undefined): number {
    if (name === this.rules.partsField) return fieldBytes(name, runToEnd(this.parts.measuring()));
    if (value === undefined) return 0;
    if (!isList(value)) return fieldBytes(name, valueBytes(value));
    const known = this.listBytes.get(name);
    if (known?.list === value) return known.bytes;
    const bytes = fieldBytes(name, valueBytes(value));
    this.listBytes.set(name, { list: value, bytes });
    return bytes;
  }
}
