import type { Deadline } from '../platform/deadline';
import type { DocumentStore, StoredDocument } from './document-store';

type Reads = Pick<DocumentStore, 'getAll' | 'findWhere'>;

/** Reads of a transaction that knows some documents already: those are not read again. */
export class KnownDocuments implements Reads {
  private constructor(
    private readonly reads: Reads,
    private readonly known: ReadonlyMap<string, StoredDocument | undefined>,
  ) {}

  /** Reads documents in one call. They stay as they are for as long as those of the transaction do. */
  static async of(reads: Reads, paths: readonly string[], deadline: Deadline): Promise<KnownDocuments> {
    const known = new Map<string, StoredDocument | undefined>(paths.map((path) => [path, undefined]));
    for (const document of await reads.getAll([...known.keys()], deadline)) known.set(document.path, document);
    return new KnownDocuments(reads, known);
  }

  async get(path: string, deadline: Deadline): Promise<StoredDocument | undefined> {
    return (await this.getAll([path], deadline))[0];
  }

  async getAll(paths: readonly string[], deadline: Deadline): Promise<StoredDocument[]> {
    const unknown = paths.filter((path) => !this.known.has(path));
    const read = unknown.length > 0 ? await this.reads.getAll(unknown, deadline) : [];
    return [...paths.flatMap((path) => this.known.get(path) ?? []), ...read];
  }

  findWhere(...query: Parameters<Reads['findWhere']>): Promise<StoredDocument[]> {
    return this.reads.findWhere(...query);
  }
}
