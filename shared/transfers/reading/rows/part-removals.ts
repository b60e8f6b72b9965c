import type { PartTarget } from '../../../domain/deletion';
import type { DeletionTime } from '../../../workspace/removed-records';
import { PartsRemoval } from '../../../workspace/removed-records';
import type { Workspace } from '../../../workspace/workspace';
import type { RowContext } from './located-row';

/** Parts that rows of one commit delete. However many rows take parts of a record, it is looked through once. */
export class PartRemovals {
  /** By the path of their record. */
  private readonly removals = new Map<string, PartsRemoval>();
  private removalBytes = 0;

  constructor(
    private readonly workspace: Workspace,
    private readonly context: RowContext,
  ) {}

  get isEmpty(): boolean {
    return this.removals.size === 0;
  }

  /** Stored bytes that `finish` puts into the workspace, at most. */
  get bytes(): number {
    return this.removalBytes;
  }

  /** Whether parts of the record at this path were removed since the last `finish`. */
  has(path: string): boolean {
    return this.removals.has(path);
  }

  /** Deletes a part of the record at a path. @returns false: the record is newer, and nothing changed */
  async remove(path: string, target: PartTarget, deletion: DeletionTime): Promise<boolean> {
    let removal = this.removals.get(path);
    if (!removal) {
      removal = await PartsRemoval.open(this.workspace, this.context.tenant, target);
      this.removals.set(path, removal);
      this.removalBytes += removal.bytes;
    }
    this.removalBytes -= removal.bytes;
    const isApplied = removal.remove(target, deletion);
    this.removalBytes += removal.bytes;
    return isApplied;
  }

  /** Puts all changes into the workspace. @returns the stored bytes of the records that it changed, at most */
  async finish(): Promise<number> {
    for (const removal of this.removals.values()) await removal.finish(this.context.revision);
    const bytes = [...this.removals.values()].reduce((sum, removal) => sum + removal.bytes, 0);
    this.removals.clear();
    this.removalBytes = 0;
    return bytes;
  }
}
