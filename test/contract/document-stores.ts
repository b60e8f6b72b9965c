/** All that hold the contract of `DocumentStore`. */
import type { FirestoreCalls } from '../../shared/adapters/firestore/firestore-calls';
import { FirestoreDocumentStore } from '../../shared/adapters/firestore/firestore-document-store';
import { GrpcFirestore } from '../../shared/adapters/firestore/grpc/grpc-firestore';
import { SdkFirestore } from '../../shared/adapters/firestore/sdk/sdk-firestore';
import { systemClock } from '../../shared/platform/clock';
import type { Config } from '../../shared/config';
import { readConfig } from '../../shared/config';
import type { DocumentStore } from '../../shared/documents/document-store';
import { systemRandom } from '../../shared/platform/random';
import { MemoryDocumentStore } from '../support/memory-document-store';

export const CLIENTS: readonly (readonly [string, (config: Config) => FirestoreCalls])[] = [
  ['Firestore over gRPC', (config) => new GrpcFirestore(config, systemClock)],
  ['Firestore by the SDK', (config) => new SdkFirestore(config)],
];
export const storeOn = (calls: FirestoreCalls) =>
  new FirestoreDocumentStore(calls, { clock: systemClock, random: systemRandom });

const firestores = CLIENTS.map(([name, connect]) => [name, storeOn(connect(readConfig()))] as const);
export async function closeStores(): Promise<void> {
  await Promise.all(firestores.map(([, store]) => store.close()));
}

export const STORES: readonly (readonly [string, DocumentStore])[] = [
  ['memory', new MemoryDocumentStore()],
  ...firestores,
];
