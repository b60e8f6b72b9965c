/**
 * All documents of the Firestore emulator, to be kept and put back. Its own export does not keep when a document was
 * written, by which the service orders records, rows of files and deletions.
 */
import { v1 } from '@google-cloud/firestore';
import { credentials } from '@grpc/grpc-js';
import { EMULATOR_HEADERS } from '../../../shared/adapters/firestore/emulator-headers';
import { ResourceNames } from '../../../shared/adapters/firestore/resource-names';
import type { ProtoDocument, ProtoFields } from '../../../shared/adapters/firestore/sdk/protocol';
import type { Config } from '../../../shared/config';
import { systemClock } from '../../../shared/platform/clock';
import { withKeptTimes } from './kept-times';

/** A document in the form of Firestore's protocol, as JSON can hold it. */
export interface KeptDocument {
  readonly path: string;
  readonly fields: ProtoFields;
}

/** The emulator takes 4 MiB and 500 documents in one call. JSON is never shorter than what is sent for it. */
const COMMIT_CHARACTERS = 2_000_000;
const COMMIT_DOCUMENTS = 500;
const COMMITS_AT_ONCE = 4;

/** A large database takes some minutes. */
const READ_TIMEOUT_MS = 10 * 60_000;
const COMMIT_TIMEOUT_MS = 60_000;

export class EmulatorDocuments {
  private readonly client: InstanceType<typeof v1.FirestoreClient>;
  private readonly names: ResourceNames;

  constructor(config: Config) {
    const [servicePath = '', port = ''] = (config.emulators.firestore ?? '').split(':');
    const sslCreds = credentials.createInsecure();
    this.client = new v1.FirestoreClient({ projectId: config.projectId, servicePath, port: Number(port), sslCreds });
    this.names = new ResourceNames(config);
  }

  /** As they were at one moment, without those that Firestore would have removed by now (`expireAt`). */
  async *readAll(): AsyncGenerator<KeptDocument> {
    const structuredQuery = { from: [{ allDescendants: true }] };
    const answers = this.client.runQuery(
      { parent: this.names.ofPath(''), structuredQuery },
      this.options(READ_TIMEOUT_MS),
    );
    const nowSeconds = systemClock.nowMs() / 1_000;
    for await (const answer of answers) {
      const { document } = answer as { readonly document?: ProtoDocument };
      if (!document?.name || !document.updateTime) continue;
      const { expireAt } = document.fields ?? {};
      if (expireAt?.timestampValue && Number(expireAt.timestampValue.seconds) <= nowSeconds) continue;
      const path = this.names.toPath(document.name);
      yield { path, fields: withKeptTimes(path, document.fields ?? {}, document.updateTime) };
    }
  }

  /** Puts documents into the empty database. @returns how many they are */
  async writeAll(documents: AsyncIterable<KeptDocument>): Promise<number> {
    let count = 0;
    let inFlight: Promise<unknown>[] = [];
    for await (const group of groupsOf(documents)) {
      count += group.length;
      inFlight.push(this.commit(group));
      if (inFlight.length < COMMITS_AT_ONCE) continue;
      await Promise.all(inFlight);
      inFlight = [];
    }
    await Promise.all(inFlight);
    return count;
  }

  close(): Promise<void> {
    return this.client.close();
  }

  private commit(documents: readonly KeptDocument[]): Promise<unknown> {
    const writes = documents.map(({ path, fields }) => ({ update: { name: this.names.ofPath(path), fields } }));
    return this.client.commit({ database: this.names.database, writes }, this.options(COMMIT_TIMEOUT_MS));
  }

  private options(timeout: number) {
    return { timeout, otherArgs: { headers: EMULATOR_HEADERS } };
  }
}

async function* groupsOf(documents: AsyncIterable<KeptDocument>): AsyncGenerator<KeptDocument[]> {
  let group: KeptDocument[] = [];
  let characters = 0;
  for await (const document of documents) {
    const size = JSON.stringify(document).length;
    if (group.length === COMMIT_DOCUMENTS || (group.length > 0 && characters + size > COMMIT_CHARACTERS)) {
      yield group;
      group = [];
      characters = 0;
    }
    group.push(document);
    characters += size;
  }
  if (group.length > 0) yield group;
}
