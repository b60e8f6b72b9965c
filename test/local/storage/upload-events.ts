/** The events of Cloud Storage and Cloud Scheduler by which a live transfer learns of a file in a bucket's folder. */
import { readdir, stat } from 'node:fs/promises';
import { realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { systemClock } from '../../../shared/platform/clock';
import { FileChanges } from '../functions/file-changes';
import { toGeneration } from './object-files';
import { ACCESS_DENIED_FILE } from './object-path';

/** Unlike on Google Cloud nobody waits for the next minute: the runs of uploads are started so often, for a while. */
const START_EVERY_MS = 1_000;
const START_TIMES = 15;

const NOTHING = /^$/;

/** What Cloud Storage tells of an object that was uploaded; the fields that the service reads. */
interface UploadEvent {
  readonly kind: 'storage#object';
  readonly bucket: string;
  readonly name: string;
  readonly generation: string;
}

/** The publishing of events, until it is stopped. */
export interface UploadEvents {
  stop(): Promise<void>;
}

/**
 * Publishes an event for each file that comes into a bucket's folder, or changes, and after it events that start the
 * runs of uploads. Files that are there already have none, as those of a bucket before it got its notification.
 * Resolves when it watches.
 */
export async function publishUploads(
  root: string,
  publish: (event: object) => Promise<unknown>,
): Promise<UploadEvents> {
  const folder = realpathSync(root);
  const changes = new FileChanges([folder], NOTHING);
  const stopping = new AbortController();
  let known = await generationsIn(folder);
  let startsLeft = 0;
  let starting: Promise<void> = Promise.resolve();

  async function startRuns(): Promise<void> {
    for (; startsLeft > 0; startsLeft -= 1) {
      await systemClock.sleep(START_EVERY_MS, stopping.signal);
      if (stopping.signal.aborted) return;
      await publish({ start: true });
    }
  }

  async function watch(): Promise<void> {
    while (await changes.next()) {
      const found = await generationsIn(folder).catch(() => undefined); // a folder goes, of which another change tells
      if (!found) continue;
      const uploaded = [...found].filter(([path, generation]) => known.get(path) !== generation);
      known = found;
      if (uploaded.length === 0) continue;
      await Promise.all(uploaded.map(([path, generation]) => publish(toEvent(path, generation))));
      const isStarting = startsLeft > 0;
      startsLeft = START_TIMES;
      if (!isStarting) starting = startRuns();
    }
  }

  const watching = watch();
  return {
    async stop(): Promise<void> {
      stopping.abort();
      changes.close();
      await watching;
      await starting;
    },
  };
}

/** The generation of each object, by its bucket and name. */
async function generationsIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && entry.name !== ACCESS_DENIED_FILE)
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => path.includes(sep) && !path.startsWith('.'));
  const found = await Promise.all(
    paths.map(async (path) => {
      const state = await stat(join(folder, path), { bigint: true }).catch(() => undefined); // it is gone meanwhile
      return state && ([path.split(sep).join('/'), toGeneration(state.mtimeNs)] as const);
    }),
  );
  return new Map(found.flatMap((each) => (each ? [each] : [])));
}

function toEvent(path: string, generation: string): UploadEvent {
  const slash = path.indexOf('/');
  return { kind: 'storage#object', bucket: path.slice(0, slash), name: path.slice(slash + 1), generation };
}
