import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DocumentStore, StoredDocument } from '../../../shared/documents/document-store';
import type { DocumentData, DocumentValue } from '../../../shared/domain/records/document';
import { documentBytes, isList, valueBytes } from '../../../shared/domain/records/document';
import { collectGarbage } from '../../support/collect-garbage';
import { withMethods } from '../../support/overriding';

/** An object that was handed out, for as long as anybody holds it. */
interface Part {
  readonly held: WeakRef<object>;
  readonly bytes: number;
}

/**
 * Counts the stored bytes of documents that somebody still holds: a store of which every answer is a copy, whose parts
 * are followed until the garbage collector takes them.
 */
export class HeldBytes {
  /** The most that was held when something was read or written. */
  most = 0;
  private parts: Part[] = [];

  /** @param bound what is held is looked at closely only where it may be more than that */
  constructor(private readonly bound: number) {}

  /** The store, with answers that are counted. */
  watch(store: DocumentStore): DocumentStore {
    return withMethods(store, (method, name) => async (...call) => {
      if (!READS.has(name) && !WRITES.has(name)) return method(...call);
      await this.look();
      const answer = await method(...call);
      const copy = READS.has(name) ? this.handOut(answer) : answer;
      await this.look();
      return copy;
    });
  }

  private async look(): Promise<void> {
    for (let look = 0; look < LOOKS && this.sum() > Math.max(this.most, this.bound); look += 1) {
      await nextTurn(); // what a turn has looked at stays until its end
      collectGarbage();
      this.parts = this.parts.filter(({ held }) => held.deref() !== undefined);
      await nextTurn();
    }
    this.most = Math.max(this.most, this.sum());
  }

  private sum(): number {
    return this.parts.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  private handOut(answer: unknown): unknown {
    if (Array.isArray(answer)) return (answer as StoredDocument[]).map((document) => this.copy(document));
    const some = answer as { readonly documents: readonly StoredDocument[] };
    return { ...some, documents: some.documents.map((document) => this.copy(document)) };
  }

  private copy({ data, ...rest }: StoredDocument): StoredDocument {
    return { ...rest, data: this.follow(data) };
  }

  /** A copy of which every object in a list is followed by itself, its texts together; the rest is not worth it. */
  private follow(data: DocumentData): DocumentData {
    const fields = Object.entries(data).map(([name, value]) => [name, this.copyOf(value)]);
    return Object.fromEntries(fields) as DocumentData;
  }

  private copyOf(value: DocumentValue | undefined): DocumentValue | undefined {
    if (value === undefined || !isList(value)) return value;
    const texts: DocumentValue[] = [];
    const copy = value.map((element) => {
      if (element === null || typeof element !== 'object') {
        texts.push(element);
        return element;
      }
      const part = { ...(element as DocumentData) };
      this.parts.push({ held: new WeakRef(part), bytes: documentBytes(part) });
      return part;
    });
    if (texts.length > 0) this.parts.push({ held: new WeakRef(copy), bytes: valueBytes(texts) });
    return copy;
  }
}

/** One collection may leave what code that is being compiled still names. */
const LOOKS = 5;

const READS: ReadonlySet<string> = new Set(['getAll', 'getSome']);
const WRITES: ReadonlySet<string> = new Set(['commit', 'writeEach']);
