import { v1 } from '@google-cloud/firestore';
import type { MethodDefinition } from '@grpc/grpc-js';
import { credentials } from '@grpc/grpc-js';

/** Encodes and decodes Firestore's messages, by the definitions that the SDK brings. */
export type FirestoreProtocol = Readonly<Record<string, MethodDefinition<object, object>>>;

/** A document as the protocol has it. */
export interface ProtoDocument {
  readonly name?: string | null;
  readonly fields?: Readonly<Record<string, { readonly stringValue?: string | null }>> | null;
}

/** The SDK's protocol client, for reading what is stored, and the protocol itself. */
export interface FirestoreAccess {
  readonly protocol: FirestoreProtocol;
  /** The first documents of a collection. `collection`: a path such as `tenants/<id>/customers`. */
  listDocuments(collection: string, limit: number): Promise<ProtoDocument[]>;
  close(): Promise<void>;
}

/** @param address `host:port` of an emulator. */
export async function openFirestore(address: string, projectId: string): Promise<FirestoreAccess> {
  const [servicePath = '', port = ''] = address.split(':');
  const client = new v1.FirestoreClient({
    projectId,
    servicePath,
    port: Number(port),
    sslCreds: credentials.createInsecure(),
  });
  const stub = await client.initialize();
  return {
    protocol: (stub.constructor as unknown as { service: FirestoreProtocol }).service,
    async listDocuments(collection, limit) {
      const slash = collection.lastIndexOf('/');
      const parent = `projects/${projectId}/databases/(default)/documents/${collection.slice(0, slash)}`;
      // One query: the emulator sorts the whole collection anew for each page of a list.
      const answers = client.runQuery(
        {
          parent,
          structuredQuery: { from: [{ collectionId: collection.slice(slash + 1) }], limit: { value: limit } },
        },
        { otherArgs: { headers: { authorization: 'Bearer owner' } } },
      ) as AsyncIterable<{ readonly document?: ProtoDocument | null }>;
      const documents: ProtoDocument[] = [];
      for await (const { document } of answers) if (document) documents.push(document);
      return documents;
    },
    close: () => client.close(),
  };
}

/** The definition of a method. @throws Error when Firestore has none of this name. */
export function methodOf(protocol: FirestoreProtocol, name: string): MethodDefinition<object, object> {
  const definition = protocol[name];
  if (!definition) throw new Error(`Firestore has no method ${name}.`);
  return definition;
}
