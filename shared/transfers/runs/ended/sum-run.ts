/** The sums of a run: those of its files and pages. */
import type { Deadline } from '../../../platform/deadline';
import type { DocumentReads, StoredDocument } from '../../../documents/document-store';
import { runFilesPath, runPagesPath } from '../../../documents/paths';
import { allDocuments, documentsAfter } from '../../../documents/pages';
import { MAX_IGNORED_FIELDS } from '../../../domain/limits';
import { PAGE_READ_DOCUMENTS } from '../../../limits/requests';
import type { Warnings } from '../../../domain/warnings/warning';
import { addWarnings, NO_WARNINGS } from '../../../domain/warnings/warning';
import { waitForAll } from '../../../platform/async/in-parallel';
import type { RunChanges } from '../changes';
import { addChanges, areOfAllRows } from '../changes';
import type { FileCounts, Run, RowCounts } from '../run';
import { addRows, fromFileDocument, NO_ROWS } from '../run';
import { warningsOfFile, warningsOfPage, warningsOfRun } from '../view/run-warnings';

export interface RunTotals {
  readonly files: FileCounts;
  readonly rows: RowCounts;
  /** Null: a release that did not count changes has read some of the rows. */
  readonly changes: RunChanges | null;
  /** Which file failed and why; null when none did. */
  readonly failure: string | null;
  readonly ignoredFields: readonly string[];
  readonly warnings: Warnings;
}

/** Sums a run's files as they are now. @param onProgress is called from time to time with the number of files read */
export async function sumRun(
  runId: string,
  store: DocumentReads,
  deadlineOfPage: () => Deadline,
  onProgress?: (files: number) => void,
): Promise<RunTotals> {
  const files = allDocuments(store, runFilesPath(runId), deadlineOfPage, onProgress);
  return sumDocuments(files, allDocuments(store, runPagesPath(runId), deadlineOfPage));
}

/** How many documents may still be read to sum runs. */
export interface SumBudget {
  left: number;
}

/** Like `sumRun`, within a budget that several runs may share. @returns undefined when it is spent */
export async function sumRunWithin(
  budget: SumBudget,
  runId: string,
  store: DocumentReads,
  deadline: Deadline,
): Promise<RunTotals | undefined> {
  const read = (collection: string) =>
    within(
      budget,
      documentsAfter(undefined, PAGE_READ_DOCUMENTS, (page) => store.list(collection, page, deadline)),
    );
  try {
    return await sumDocuments(read(runFilesPath(runId)), read(runPagesPath(runId)));
  } catch (error) {
    if (error instanceof BudgetSpent) return undefined;
    throw error;
  }
}

class BudgetSpent extends Error {
  override readonly name = 'BudgetSpent';
}

async function* within(budget: SumBudget, documents: AsyncIterable<StoredDocument>): AsyncGenerator<StoredDocument> {
  for await (const document of documents) {
    if (budget.left <= 0) throw new BudgetSpent('The run has more files than may be counted.');
    budget.left -= 1;
    yield document;
  }
}

async function sumDocuments(
  files: AsyncIterable<StoredDocument>,
  pages: AsyncIterable<StoredDocument>,
): Promise<RunTotals> {
  const [totals, { skipped, warnings }] = await waitForAll([sumFiles(files), sumPages(pages)]);
  return {
    ...totals,
    files: { ...totals.files, found: totals.files.found + skipped, skipped },
    warnings: addWarnings(totals.warnings, warnings),
  };
}

async function sumFiles(documents: AsyncIterable<StoredDocument>): Promise<RunTotals> {
  const files = { found: 0, finished: 0, skipped: 0, failed: 0 };
  let rows = NO_ROWS;
  const changes: { -readonly [Kind in keyof RunChanges]: RunChanges[Kind] } = {};
  let failure: string | null = null;
  const ignoredFields = new Set<string>();
  let warnings = NO_WARNINGS;
  for await (const document of documents) {
    const file = fromFileDocument(document);
    warnings = addWarnings(warnings, warningsOfFile(file));
    rows = addRows(rows, file.rows);
    if (file.changes) changes[file.kind] = addChanges(changes[file.kind] ?? {}, file.changes);
    for (const field of file.ignoredFields ?? []) if (ignoredFields.size < MAX_IGNORED_FIELDS) ignoredFields.add(field);
    if (file.status === 'replaced') continue; // the generation that has replaced it counts
    files.found += 1;
    if (file.status === 'finished') files.finished += 1;
    if (file.status !== 'failed') continue;
    files.failed += 1;
    failure ??= `${file.object}: ${file.error ?? 'it could not be read'}`;
  }
  const others = files.failed > 1 ? ` (and ${files.failed - 1} other files)` : '';
  return {
    files,
    rows,
    changes: areOfAllRows(changes, rows) ? changes : null,
    failure: failure && failure + others,
    ignoredFields: [...ignoredFields],
    warnings,
  };
}

/**
 * How many objects the run does not read (their names tell no kind, or other runs read them or have read them), and
 * what it is warned of them.
 */
async function sumPages(
  pages: AsyncIterable<StoredDocument>,
): Promise<Pick<RunTotals, 'warnings'> & { skipped: number }> {
  let skipped = 0;
  let warnings = NO_WARNINGS;
  for await (const page of pages) {
    skipped += Number(page.data.skipped);
    warnings = addWarnings(warnings, warningsOfPage(page));
  }
  return { skipped, warnings };
}

/** The run with these sums. */
export function withSums(run: Run, { files, rows, changes, ignoredFields, warnings }: RunTotals): Run {
  return { ...run, files, rows, changes, ignoredFields, warnings: warningsOfRun(run, files, warnings) };
}
