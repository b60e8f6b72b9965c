/**
 * The file of a snapshot: a line of JSON each for its head, the documents, and its end, which says how many they are.
 * It is written beside the last one, and takes its place only when it is complete and on the disk.
 */
import { createReadStream } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import type { KeptJob } from '../scheduler/kept-job';
import { StackError } from '../stack-error';
import type { KeptDocument } from './documents';
import type { KeptMessage } from './messages';

/** What a snapshot has beside documents. */
export interface SnapshotHead {
  /** ISO 8601. */
  readonly savedAt: string;
  /** The names of documents, jobs and topics hold it. */
  readonly projectId: string;
  readonly jobs: readonly KeptJob[];
  readonly messages: readonly KeptMessage[];
}

/** Of the lines; a later form has another number. */
const FORMAT = 1;

/** Lines that are written together. */
const WRITTEN_CHARACTERS = 256 * 1024;

/** Replaces the file. After a crash it is the old one or the new one. @returns how many documents it has */
export async function writeSnapshot(
  file: string,
  head: SnapshotHead,
  documents: AsyncIterable<KeptDocument>,
): Promise<number> {
  const unfinished = `${file}.new`;
  const handle = await open(unfinished, 'w', 0o600);
  let count = 0;
  try {
    let lines = toLine({ format: FORMAT, ...head });
    for await (const document of documents) {
      count += 1;
      lines += toLine(document);
      if (lines.length < WRITTEN_CHARACTERS) continue;
      await handle.write(lines);
      lines = '';
    }
    await handle.write(lines + toLine({ documents: count }));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(unfinished, file);
  const folder = await open(dirname(file));
  await folder.sync().finally(() => folder.close());
  return count;
}

/** The head of the snapshot; undefined: nothing was saved yet. @throws StackError when it is not whole */
export async function readSnapshotHead(file: string): Promise<SnapshotHead | undefined> {
  const lines = linesOf(file);
  try {
    const { value } = await lines.next();
    const head = parse(value ?? '', file) as Partial<SnapshotHead> & { readonly format?: unknown };
    if (head.format !== FORMAT) throw damaged(file, 'its first line is none of a snapshot');
    return head as SnapshotHead;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  } finally {
    await lines.return(undefined);
  }
}

/** The documents of the snapshot. @throws StackError, at its end, when it is not whole */
export async function* readSnapshotDocuments(file: string): AsyncGenerator<KeptDocument> {
  const lines = linesOf(file);
  await lines.next(); // the head
  let count = 0;
  for await (const line of lines) {
    const parsed = parse(line, file) as Partial<KeptDocument> & { readonly documents?: unknown };
    if (parsed.documents === count) return;
    if (typeof parsed.path !== 'string') throw damaged(file, `line ${count + 2} is no document`);
    count += 1;
    yield parsed as KeptDocument;
  }
  throw damaged(file, 'its end is missing');
}

async function* linesOf(file: string): AsyncGenerator<string, undefined> {
  const handle = await open(file);
  const stream = createReadStream(file, { fd: handle });
  try {
    yield* createInterface({ input: stream, crlfDelay: Infinity });
  } finally {
    stream.destroy();
    await handle.close().catch(() => undefined); // the stream may have closed it
  }
  return undefined;
}

function toLine(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

function parse(line: string, file: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw damaged(file, 'a line is no JSON');
  }
}

function damaged(file: string, reason: string): StackError {
  return new StackError(`${file} is damaged: ${reason}. Move it away to begin without it, or name another folder.`);
}
