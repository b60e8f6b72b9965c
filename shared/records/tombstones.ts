/**
 * Tombstones: when what has an identity was last deleted. They outlive the record, so that an older file never brings it
 * back (D-54), and hold only hashes and times. They are kept for good: a historical transfer reads files of any age.
 */
import { tombstonePath } from '../documents/paths';
import type { RecordId } from '../domain/identity';
import type { Workspace } from './workspace';

/** Notes in the workspace that what has these identities was deleted at a time, unless it was again later. */
export async function bury(
  workspace: Workspace,
  tenantId: string,
  ids: readonly RecordId[],
  deletedAt: Date,
): Promise<void> {
  const paths = [...new Set(ids)].map((id) => tombstonePath(tenantId, id));
  await workspace.load(paths);
  for (const path of paths) {
    const earlier = workspace.get(path)?.deletedAt as Date | undefined;
    if (!earlier || earlier < deletedAt) workspace.put(path, { deletedAt });
  }
}

/** The paths of the tombstones of these identities. */
export function tombstonePaths(tenantId: string, ids: readonly RecordId[]): string[] {
  return ids.map((id) => tombstonePath(tenantId, id));
}

/**
 * When what has one of these identities was last deleted, by the tombstones that are loaded; undefined: never. What is
 * written holds only while that is so.
 */
export function lastDeletion(workspace: Workspace, tenantId: string, ids: readonly RecordId[]): Date | undefined {
  const loaded = tombstonePaths(tenantId, ids).filter((path) => workspace.isLoaded(path));
  for (const path of loaded) workspace.rely(path);
  const times = loaded.flatMap((path) => (workspace.get(path)?.deletedAt as Date | undefined) ?? []);
  return times.length === 0 ? undefined : new Date(Math.max(...times.map((time) => time.getTime())));
}
