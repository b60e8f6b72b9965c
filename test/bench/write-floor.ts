/**
 * The least that writing documents can take: commits that were encoded before, sent side by side over one connection,
 * with no key, no condition and nothing read.
 */
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import type { FirestoreProtocol, ProtoDocument } from './firestore-protocol';
import { methodOf } from './firestore-protocol';

/** Commits that are under way at once, of a series that is longer. */
const AT_ONCE = 2;

export class WriteFloor {
  private readonly client: Client;
  private readonly metadata = new Metadata();

  constructor(
    address: string,
    private readonly projectId: string,
    private readonly protocol: FirestoreProtocol,
  ) {
    this.client = new Client(address, credentials.createInsecure(), { 'grpc.max_receive_message_length': -1 });
    this.metadata.set('authorization', 'Bearer owner');
  }

  /** Commits that store these documents under another tenant, each of at most `size` documents. */
  encode(documents: readonly ProtoDocument[], tenantId: string, size: number): Buffer[] {
    const { requestSerialize } = methodOf(this.protocol, 'Commit');
    const database = `projects/${this.projectId}/databases/(default)`;
    const commits: Buffer[] = [];
    for (let start = 0; start < documents.length; start += size) {
      const writes = documents.slice(start, start + size).map(({ name, fields }) => ({
        update: { name: inTenant(name ?? '', tenantId), fields },
      }));
      commits.push(requestSerialize({ database, writes }));
    }
    return commits;
  }

  /** Sends all at once and returns how long it took, in milliseconds. */
  async send(commits: readonly Buffer[]): Promise<number> {
    const startMs = performance.now();
    await Promise.all(commits.map((commit) => this.call('Commit', commit)));
    return performance.now() - startMs;
  }

  /** Sends a long series, two at a time, and returns how long it took, in milliseconds. */
  async sendSeries(commits: Iterable<Buffer>): Promise<number> {
    const startMs = performance.now();
    const waiting = commits[Symbol.iterator]();
    const sendRest = async () => {
      for (let next = waiting.next(); next.done !== true; next = waiting.next()) await this.call('Commit', next.value);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, sendRest));
    return performance.now() - startMs;
  }

  /** One call with an encoded request. @returns the encoded response */
  call(method: string, request: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.client.makeUnaryRequest(
        methodOf(this.protocol, method).path,
        asItIs,
        asItIs,
        request,
        this.metadata,
        (error, response) => (error ? reject(error) : resolve(response ?? Buffer.alloc(0))),
      );
    });
  }

  close(): void {
    this.client.close();
  }
}

/** The name of the same document of another tenant. */
export function inTenant(name: string, tenantId: string): string {
  return name.replace(/\/tenants\/[^/]+\//, `/tenants/${tenantId}/`);
}

function asItIs(bytes: Buffer): Buffer {
  return bytes;
}
