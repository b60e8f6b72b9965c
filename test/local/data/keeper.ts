/** Keeps what a stack has in its data folder: puts it back at the start, saves it meanwhile and at the end. */
import { connect } from '../../../functions/admin/connection';
import type { Config } from '../../../shared/config';
import { systemClock } from '../../../shared/platform/clock';
import type { KeptJob } from '../scheduler/kept-job';
import type { SchedulerStandIn } from '../scheduler-stand-in';
import { StackError } from '../stack-error';
import type { DataFolder } from './data-folder';
import { EmulatorDocuments } from './documents';
import { EmulatorMessages } from './messages';
import type { SnapshotHead } from './snapshot-file';
import { readSnapshotDocuments, readSnapshotHead, writeSnapshot } from './snapshot-file';
import { requestUnfinishedWork } from './unfinished-work';

/**
 * The time between two snapshots: a minute, and no less than this multiple of the time that the last one took, so that
 * a large database is not read all the time.
 */
const SAVE_EVERY_MS = 60_000;
const SAVE_EVERY_FACTOR = 20;

/** What was put back. */
export interface Restored {
  readonly savedAt: string;
  readonly documents: number;
}

/** The parts that hold what is kept. */
interface KeptParts {
  readonly config: Config;
  readonly scheduler: SchedulerStandIn;
}

export class Keeper {
  /** What is saved. Undefined: it does not have yet what was kept, so that nothing may be saved. */
  private parts: KeptParts | undefined;
  private readonly ending = new AbortController();
  private saving: Promise<void> = Promise.resolve();

  private constructor(
    private readonly folder: DataFolder,
    private readonly head: SnapshotHead | undefined,
    /** Says a sentence to whoever started the stack. */
    private readonly say: (sentence: string) => void,
  ) {}

  /** @throws StackError when the snapshot is not whole, or of another project */
  static async open(folder: DataFolder, projectId: string, say: (sentence: string) => void): Promise<Keeper> {
    const head = await readSnapshotHead(folder.snapshotFile);
    if (head && head.projectId !== projectId) {
      throw new StackError(
        `The data folder ${folder.path} is of the project ${head.projectId}, and the configuration names ${projectId}: ` +
          'name another folder, or set projectId.',
      );
    }
    return new Keeper(folder, head, say);
  }

  /** For the stand-in of Cloud Scheduler. */
  get jobs(): readonly KeptJob[] {
    return this.head?.jobs ?? [];
  }

  /** Puts the documents into the empty emulator. @returns undefined when nothing was saved before */
  async restoreDocuments(config: Config): Promise<Restored | undefined> {
    if (!this.head) return undefined;
    const store = new EmulatorDocuments(config);
    try {
      const documents = await store.writeAll(readSnapshotDocuments(this.folder.snapshotFile));
      return { savedAt: this.head.savedAt, documents };
    } finally {
      await store.close();
    }
  }

  /**
   * Publishes what was not delivered, and asks for the work that was under way. From then on everything is saved, again
   * and again. Call it when the topics are there.
   */
  async goOn(config: Config, scheduler: SchedulerStandIn): Promise<void> {
    if (this.head) await publishAgain(this.head, config);
    this.parts = { config, scheduler };
    this.saving = this.saveAgainAndAgain(this.parts);
  }

  /** Lets messages wait, to be saved, while functions come to their end. Call it before anything ends. */
  async stopDelivery(): Promise<void> {
    if (!this.parts) return;
    const queues = await EmulatorMessages.connect(this.parts.config);
    await queues.stopDelivery().finally(() => queues.close());
  }

  /** Saves for the last time. Call it when nothing changes any more. @throws StackError when that fails */
  async saveLast(): Promise<void> {
    this.ending.abort();
    await this.saving;
    if (!this.parts) return;
    this.say(`Saving to ${this.folder.path}`);
    try {
      await this.save(this.parts, { isLast: true });
    } catch (error) {
      throw new StackError(`${this.notSaved(error)} What was saved before is still there.`);
    }
  }

  private async saveAgainAndAgain(parts: KeptParts): Promise<void> {
    const { signal } = this.ending;
    let tookMs = 0;
    for (;;) {
      await systemClock.sleep(Math.max(SAVE_EVERY_MS, SAVE_EVERY_FACTOR * tookMs), signal);
      if (signal.aborted) return;
      const beganMs = systemClock.nowMs();
      await this.save(parts, { isLast: false }).catch((error: unknown) => this.say(this.notSaved(error)));
      tookMs = systemClock.nowMs() - beganMs;
    }
  }

  private async save({ config, scheduler }: KeptParts, { isLast }: { isLast: boolean }): Promise<void> {
    const documents = new EmulatorDocuments(config);
    const queues = await EmulatorMessages.connect(config);
    try {
      const kept = await queues.readKept();
      const undelivered = isLast ? await queues.readUndelivered() : [];
      const head: SnapshotHead = {
        savedAt: new Date(systemClock.nowMs()).toISOString(),
        projectId: config.projectId,
        jobs: scheduler.keptJobs(),
        messages: [...kept, ...undelivered],
      };
      await writeSnapshot(this.folder.snapshotFile, head, documents.readAll());
    } finally {
      await Promise.all([documents.close(), queues.close()]);
    }
  }

  private notSaved(error: unknown): string {
    return `The data could not be saved to ${this.folder.path}: ${(error as Error).message}.`;
  }
}

async function publishAgain({ messages }: SnapshotHead, config: Config): Promise<void> {
  const queues = await EmulatorMessages.connect(config);
  const operator = connect(config);
  try {
    await queues.publish(messages);
    await requestUnfinishedWork(operator);
  } finally {
    await Promise.all([queues.close(), operator.close()]);
  }
}
