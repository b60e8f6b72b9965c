import type { Clock } from '../../../platform/clock';
import type { RunChanges, ShownChanges } from '../changes';
import { toShownChanges } from '../changes';
import { isPreviewOver } from '../expiry';
import type { Run } from '../run';

/** A run's changes as they are shown; null: they are not known, or those of a preview are old. */
export function shownChanges(run: Run, changes: RunChanges | null | undefined, clock: Clock): ShownChanges | null {
  const isOver = run.isPreview === true && isPreviewOver(run, clock);
  return changes && !isOver ? toShownChanges(changes) : null;
}
