import type { FSWatcher } from 'node:fs';
import { existsSync, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';

/** Changes that come within this time of each other are one: an editor writes a file in steps, Git writes many. */
const QUIET_MS = 60;

/** What editors keep beside sources, and texts that no function reads. */
export const NO_SOURCE = /^\.|~$|\.md$/;

/**
 * Tells of changed files below folders. It watches each folder: on Linux, Node.js's own recursive watch loses a file
 * that an editor replaces.
 */
export class FileChanges {
  private readonly watchers = new Map<string, FSWatcher>();
  private readonly changed = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;
  /** Ends the wait of `next`. */
  private wake: () => void = () => undefined;

  /** @param ignored names of files that do not count */
  constructor(
    private readonly roots: readonly string[],
    private readonly ignored: RegExp,
  ) {
    this.watchFolders();
  }

  /**
   * The files that have changed since the last call, once nothing changes any more for a moment; waits for the first.
   * @returns undefined when it is closed
   */
  async next(): Promise<readonly string[] | undefined> {
    while (!this.isClosed && (this.changed.size === 0 || this.timer)) {
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
    if (this.isClosed) return undefined;
    const files = [...this.changed];
    this.changed.clear();
    return files;
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    for (const watcher of this.watchers.values()) watcher.close();
    this.wake();
  }

  private onChange(folder: string, name: string | null): void {
    if (name === null || this.ignored.test(name)) return;
    this.changed.add(join(folder, name));
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.watchFolders();
      this.wake();
    }, QUIET_MS);
  }

  /** Watches folders that are new, and forgets those that are gone. */
  private watchFolders(): void {
    const folders = this.roots.flatMap(foldersFrom);
    for (const folder of folders) {
      if (this.watchers.has(folder)) continue;
      const watcher = watch(folder, (_, name) => this.onChange(folder, name));
      watcher.on('error', () => undefined); // its folder goes
      this.watchers.set(folder, watcher);
    }
    const present = new Set(folders);
    for (const [folder, watcher] of this.watchers) {
      if (present.has(folder)) continue;
      watcher.close();
      this.watchers.delete(folder);
    }
  }
}

function foldersFrom(root: string): string[] {
  if (!existsSync(root)) return [];
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  return [root, ...entries.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name))];
}
