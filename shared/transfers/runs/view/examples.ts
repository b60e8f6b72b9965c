/** Records that a preview would change, as they are stored below its run and shown. */
import type { DocumentReads, DocumentWrite } from '../../../documents/document-store';
import { runExamplePath, runExamplesPath } from '../../../documents/paths';
import type { DocumentValue } from '../../../domain/records/document';
import { MAX_EXAMPLES } from '../../../limits/transfers';
import type { Clock } from '../../../platform/clock';
import type { Deadline } from '../../../platform/deadline';
import { isPreviewOver } from '../expiry';
import type { Run } from '../run';

/** A record before and after the rows of one slice. The names are those of the API. */
export interface Example {
  readonly Object: string;
  /** The first row about the record; null: its rows name it by another identifier. */
  readonly Line: number | null;
  /** Those that identify the record, by field. */
  readonly Identifiers: Readonly<Record<string, string>>;
  /** The fields that would change; null: the record has none. Of arrays only the elements that would go and come. */
  readonly Fields: Readonly<Record<string, { readonly from: DocumentValue; readonly to: DocumentValue }>>;
  /** Fields that would change and are too long to be shown; absent: none. */
  readonly OmittedFields?: readonly string[];
}

/** Whose consents would change, and others. */
export type ExampleRank = 'consents' | 'others';

/** In the order of their ids: first consents, of each file in the order of its lines. */
const RANKS: Readonly<Record<ExampleRank, number>> = { consents: 0, others: 1 };
const LINE_DIGITS = 15;

/** The write that stores an example. */
export type ExampleWrite = DocumentWrite & { readonly set: string };

/** How many examples of a file can be among those that are shown, by rank: the others come before all of the file. */
export async function findRoom(
  runId: string,
  fileId: string,
  store: DocumentReads,
  deadline: Deadline,
): Promise<Readonly<Record<ExampleRank, number>>> {
  const first = await store.listRefs(runExamplesPath(runId), { limit: MAX_EXAMPLES }, deadline);
  const roomFor = (rank: ExampleRank) => {
    const ofFile = runExamplePath(runId, `${RANKS[rank]}.${fileId}.`);
    return MAX_EXAMPLES - first.filter(({ path }) => path < ofFile).length;
  };
  return { consents: roomFor('consents'), others: roomFor('others') };
}

/** A repeat stores the same. */
export function toExampleWrite(
  runId: string,
  fileId: string,
  { rank, recordId, expireAt }: { readonly rank: ExampleRank; readonly recordId: string; readonly expireAt: Date },
  example: Example,
): ExampleWrite {
  const line = String(example.Line ?? 0).padStart(LINE_DIGITS, '0');
  const id = `${RANKS[rank]}.${fileId}.${line}.${recordId}`;
  return { set: runExamplePath(runId, id), data: { example: JSON.stringify(example), expireAt } };
}

/** The examples of a preview, at most MAX_EXAMPLES; null: the run is no preview, or it is over. */
export async function findExamples(
  runId: string,
  run: Run,
  deadline: Deadline,
  { store, clock }: { readonly store: DocumentReads; readonly clock: Clock },
): Promise<readonly Example[] | null> {
  if (!run.isPreview || isPreviewOver(run, clock)) return null;
  const found = await store.list(runExamplesPath(runId), { limit: MAX_EXAMPLES }, deadline);
  return found.map(({ data }) => JSON.parse(data.example as string) as Example);
}
