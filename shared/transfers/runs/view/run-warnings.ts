/** What a run is warned of: what its files and the pages of its planning say, and what only the whole tells. */
import type { StoredDocument } from '../../../documents/document-store';
import type { Warnings } from '../../../domain/warnings/warning';
import { addWarnings, NO_WARNINGS, warn, withPlace } from '../../../domain/warnings/warning';
import type { FileCounts, Run, RunFile } from '../run';

/** The warnings of a file: those of its rows, and that it has none. */
export function warningsOfFile({
  object,
  size,
  status,
  rows,
  replaysLines,
  warnings = NO_WARNINGS,
}: RunFile): Warnings {
  const placed = withPlace(warnings, { object });
  // A replay passes over rows, so that it may have read none.
  if (status !== 'finished' || rows.read > 0 || replaysLines) return placed;
  return warn(placed, size === 0 ? 'fileEmpty' : 'fileWithoutRows', [{ object }]);
}

/** The warnings of a page of planning; a release that warned of nothing has stored none. */
export function warningsOfPage({ data }: StoredDocument): Warnings {
  return (data.warnings ?? NO_WARNINGS) as unknown as Warnings;
}

/** The warnings of a run that has ended: also that it could use none of the files that it has found. */
export function warningsOfRun({ isPlanned }: Run, { found }: FileCounts, warnings: Warnings): Warnings {
  const { unknownKind, unknownFormat } = warnings;
  const unknown = (unknownKind?.count ?? 0) + (unknownFormat?.count ?? 0);
  if (!isPlanned || found === 0 || unknown < found) return warnings;
  return addWarnings(warnings, { noFileUsed: { count: found, examples: [] } });
}
