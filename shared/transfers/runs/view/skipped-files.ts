/**
 * The files that a run does not read. A page of planning names those that it has seen, in one document, until
 * the run has named MAX_NAMED_SKIPPED_FILES; further ones are only counted.
 */
import type { DocumentStore, Page, StoredDocument } from '../../../documents/document-store';
import { documentsAfter } from '../../../documents/pages';
import { idOf, runSkippedFilePath, runSkippedFilesPath } from '../../../documents/paths';
import type { DocumentData } from '../../../domain/records/document';
import type { WarningCode } from '../../../domain/warnings/warning';
import { parseFileForm } from '../../../files/file-kind';
import type { Deadline } from '../../../platform/deadline';
import type { StoredObject } from '../../object-storage';
import type { RunFile } from '../run';

/** `read before`: some run has read it to its end, or another one is reading it (D-53). */
export type SkipReason = 'unknown kind' | 'unknown format' | 'read before';

export interface SkippedFile extends Pick<RunFile, 'object' | 'generation' | 'updated' | 'size'> {
  /** Null: its name does not tell. */
  readonly kind: RunFile['kind'] | null;
  readonly format: RunFile['format'] | null;
  readonly reason: SkipReason;
}

/** What a run is warned of by a reason. A file that was read before is nothing to warn of. */
export const SKIP_WARNINGS: Readonly<Record<SkipReason, WarningCode | undefined>> = {
  'unknown kind': 'unknownKind',
  'unknown format': 'unknownFormat',
  'read before': undefined,
};

/** An object that a run does not read. @param file as the run would read it; undefined: its name does not tell how */
export function toSkippedFile(object: StoredObject, file: RunFile | undefined): SkippedFile {
  const { name, generation, updated, size } = object;
  const known = { object: name, generation, updated, size };
  if (file) return { ...known, kind: file.kind, format: file.format, reason: 'read before' };
  const reason = parseFileForm(name, object.contentEncoding) ? 'unknown kind' : 'unknown format';
  return { ...known, kind: null, format: null, reason };
}

export const toSkippedFilesDocument = (files: readonly SkippedFile[], expireAt: Date): DocumentData =>
  ({ files, expireAt }) as unknown as DocumentData;

/** Where a named skipped file is: the document, and the index in it. */
export interface SkippedFilePosition {
  readonly pageId: string;
  readonly index: number;
}

export interface LocatedSkippedFile {
  readonly position: SkippedFilePosition;
  readonly file: SkippedFile;
}

/** The named skipped files of a run, page by page. @param after the position of the one before; undefined: all */
export async function* skippedFilesAfter(
  runId: string,
  after: SkippedFilePosition | undefined,
  store: Pick<DocumentStore, 'get' | 'list'>,
  deadline: () => Deadline,
): AsyncGenerator<LocatedSkippedFile> {
  const path = after && runSkippedFilePath(runId, after.pageId);
  const begun = path === undefined ? undefined : await store.get(path, deadline());
  if (begun && after) yield* filesOf(begun, after.index + 1);
  // One at a time: a document with long names of objects takes 400 KB.
  const list = (page: Page) => store.list(runSkippedFilesPath(runId), page, deadline());
  for await (const document of documentsAfter(path, 1, list)) yield* filesOf(document, 0);
}

function* filesOf({ path, data }: StoredDocument, from: number): Generator<LocatedSkippedFile> {
  const files = data.files as unknown as readonly SkippedFile[];
  const pageId = idOf(path);
  for (const [index, file] of files.entries()) if (index >= from) yield { position: { pageId, index }, file };
}

/** Undefined: the text is no position. */
export function parseSkippedFilePosition(text: string): SkippedFilePosition | undefined {
  const [, pageId, index] = /^(\d{1,10}\.\d{1,10}):(\d{1,6})$/.exec(text) ?? [];
  return pageId === undefined ? undefined : { pageId, index: Number(index) };
}

export const toPositionText = ({ pageId, index }: SkippedFilePosition) => `${pageId}:${index}`;
