/** What Firestore's calls read and write, as Firestore bills it. */
import type { CallDetails } from './call-summary';
import type { CallReader } from './counting-proxy';
import type { FirestoreProtocol } from './firestore-protocol';
import { methodOf } from './firestore-protocol';

interface Write {
  readonly update?: { readonly name: string } | null;
  readonly delete?: string | null;
}

/** Of a call that Firestore does not bill by documents. */
export const NOTHING: CallDetails = {
  reads: 0,
  writes: 0,
  deletes: 0,
  refused: 0,
  writesRecords: false,
  written: [],
};
const OK = '0';
const DATABASE = /^projects\/[^/]+\/databases\/[^/]+\/documents\//;
const RECORD = /\/tenants\/[^/]+\/(?:customers|products|orders)\//;

export function firestoreCallReader(protocol: FirestoreProtocol): CallReader {
  return (method, requests, responses, status) => {
    const decodeRequests = () => requests.map((bytes) => methodOf(protocol, method).requestDeserialize(bytes));
    const decodeResponses = () => responses.map((bytes) => methodOf(protocol, method).responseDeserialize(bytes));
    switch (method) {
      case 'Commit': {
        const writes = decodeRequests().flatMap((request) => (request as { writes: Write[] }).writes);
        return toDetails(
          writes,
          writes.map(() => status === OK),
        );
      }
      case 'BatchWrite': {
        const writes = decodeRequests().flatMap((request) => (request as { writes: Write[] }).writes);
        const statuses = decodeResponses().flatMap((response) => (response as { status: { code: number }[] }).status);
        return toDetails(
          writes,
          statuses.map(({ code }) => code === 0),
        );
      }
      case 'BatchGetDocuments':
        return { ...NOTHING, reads: countWith(decodeResponses(), 'found', 'missing') };
      case 'RunQuery':
        return { ...NOTHING, reads: Math.max(1, countWith(decodeResponses(), 'document')) };
      case 'GetDocument':
      case 'RunAggregationQuery':
        return { ...NOTHING, reads: 1 };
      default:
        return NOTHING;
    }
  };
}

function toDetails(writes: readonly Write[], applied: readonly boolean[]): CallDetails {
  const done = writes.filter((_, index) => applied[index]);
  const isDelete = (write: Write) => Boolean(write.delete);
  return {
    reads: 0,
    writes: done.filter((write) => !isDelete(write)).length,
    deletes: done.filter(isDelete).length,
    refused: writes.length - done.length,
    writesRecords: writes.some((write) => RECORD.test(nameOf(write))),
    written: done.map((write) => nameOf(write).replace(DATABASE, '')),
  };
}

function nameOf(write: Write): string {
  return write.update?.name ?? write.delete ?? '';
}

function countWith(messages: readonly object[], ...fields: string[]): number {
  return messages.filter((message) => fields.some((field) => (message as Record<string, unknown>)[field])).length;
}
