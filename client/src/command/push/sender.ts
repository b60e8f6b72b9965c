/**
 * Sends the rows of a file through the client. Upserts and deletions are different requests: consecutive rows of one
 * sort are one feed, and the next one begins when it is accounted for, so that rows keep their order (D-07).
 */
import type { RecordKind } from '../../../../shared/domain/identity';
import { DamagedFile } from '../../../../shared/files/damaged-file';
import type { Checkpoint } from '../../../../shared/files/row';
import type { FeedOptions, FeedResult, IngestionClient, Warning } from '../../index';
import { FeedError, IngestionError } from '../../index';
import type { Operation, Purpose } from '../input/operations';
import { toOperations } from '../input/operations';
import type { SourceRow } from '../input/source-rows';
import type { Account } from './account';
import { Entry } from './account';

export interface Sending {
  readonly client: IngestionClient;
  readonly tenant: string;
  readonly kind: RecordKind;
  readonly purpose: Purpose;
  readonly validateOnly: boolean;
  readonly rows: AsyncIterator<SourceRow>;
  /** Bytes of the file, as it is stored, up to the row that was read last, whose checkpoint this is. */
  readonly fileBytesAt: (checkpoint: Checkpoint) => number;
  readonly account: Account;
  readonly untilPrinted: () => Promise<void>;
  /** Later times of deletions are in the future. */
  readonly now: Date;
  readonly signal: AbortSignal;
  /** Called when something is acknowledged. */
  readonly onProgress: () => void;
}

/** What all feeds of a push say together, beside the account of its rows. */
export interface Sent {
  readonly requests: number;
  readonly retries: number;
  readonly ignoredFields: readonly string[];
  readonly warnings: readonly Warning[];
  /** Some rows had an `UpdatedAt`, which means nothing here. */
  readonly hasUpdatedAt: boolean;
  /** Why nothing after the last row could be read; undefined: the file was read to its end. */
  readonly unread: Error | undefined;
  /** Why the push ended early. */
  readonly failure: Error | undefined;
}

interface Step {
  readonly operation: Operation;
  readonly entry: Entry;
}

type Feed = (rows: AsyncIterable<object>, options: FeedOptions<object>) => Promise<FeedResult>;

/** What the records of all kinds have in common. The service says what is wrong with an element. */
interface Batches {
  upsertAll(...feed: Parameters<Feed>): Promise<FeedResult>;
  deleteAll(...feed: Parameters<Feed>): Promise<FeedResult>;
}

export class Sender {
  private readonly steps: Step[] = [];
  private isAtEnd = false;
  private hasUpdatedAt = false;
  private unread: Error | undefined;
  private readonly totals = { requests: 0, retries: 0 };
  private readonly ignoredFields = new Set<string>();
  private readonly warnings = new Map<string, Warning>();

  constructor(private readonly sending: Sending) {}

  /** Sends until the file ends, or something ends the push. What is acknowledged is in the account. */
  async run(): Promise<Sent> {
    const { rows, account } = this.sending;
    let failure: Error | undefined;
    try {
      for (let next = await this.peek(); next; next = await this.peek()) await this.feed(next.operation.type);
    } catch (error) {
      failure = error as Error;
    } finally {
      account.free();
      void Promise.resolve(rows.return?.()).catch(() => undefined);
    }
    const { totals, ignoredFields, warnings, hasUpdatedAt, unread } = this;
    return {
      ...totals,
      ignoredFields: [...ignoredFields],
      warnings: [...warnings.values()],
      hasUpdatedAt,
      unread,
      failure,
    };
  }

  /** Sends the rows up to the first one of the other sort. */
  private async feed(type: Operation['type']): Promise<void> {
    const { client, tenant, kind, validateOnly, signal, account, onProgress } = this.sending;
    const underWay: Step[] = [];
    let settled = 0;
    const batches = client[kind](tenant) as unknown as Batches;
    const feed: Feed = (elements, options) =>
      type === 'upsert' ? batches.upsertAll(elements, options) : batches.deleteAll(elements, options);
    try {
      const result = await feed(this.stepsOf(type, underWay), {
        onInvalid: 'skip',
        validateOnly,
        signal,
        onRejected: ({ index, errors }) => {
          const step = underWay[index - settled];
          step?.entry.reject(errors, step.operation.toRowPath);
        },
        onProgress: (progress) => {
          for (const { entry } of underWay.splice(0, progress.settled - settled)) entry.pending -= 1;
          settled = progress.settled;
          account.settle();
          onProgress();
        },
      });
      this.total(result);
    } catch (error) {
      if (error instanceof IngestionError && error.result) this.total(error.result);
      throw error instanceof FeedError ? error.cause : error;
    }
  }

  private async *stepsOf(type: Operation['type'], underWay: Step[]): AsyncGenerator<object, void, undefined> {
    for (let step = await this.peek(); step?.operation.type === type; step = await this.peek()) {
      this.steps.shift();
      underWay.push(step);
      yield step.operation.element;
    }
  }

  /** The next operation; undefined: there is none. */
  private async peek(): Promise<Step | undefined> {
    while (this.steps.length === 0 && !this.isAtEnd) await this.readRow();
    return this.steps[0];
  }

  private async readRow(): Promise<void> {
    const { rows, kind, purpose, now, account, untilPrinted, fileBytesAt, signal } = this.sending;
    await untilPrinted();
    while (!account.hasRoom && !signal.aborted) await account.untilFreed();
    const row = await this.nextRow(rows);
    if (!row) {
      this.isAtEnd = true;
      return;
    }
    const known = row.messages ? { messages: row.messages } : toOperations(row.record, kind, purpose, now);
    if (known === undefined) return;
    const operations = 'operations' in known ? known.operations : [];
    if ('operations' in known) this.hasUpdatedAt ||= known.hasUpdatedAt;
    const messages = 'messages' in known ? known.messages : undefined;
    const entry = new Entry(row, operations, messages, fileBytesAt(row.checkpoint));
    account.add(entry);
    for (const operation of operations) this.steps.push({ operation, entry });
    if (operations.length === 0) account.settle();
  }

  /** What comes before a damage, or an error of the disk, is sent. */
  private async nextRow(rows: AsyncIterator<SourceRow>): Promise<SourceRow | undefined> {
    try {
      const next = await rows.next();
      return next.done === true ? undefined : next.value;
    } catch (error) {
      if (!(error instanceof DamagedFile) && (error as { syscall?: unknown }).syscall === undefined) throw error;
      this.unread = error as Error;
      return undefined;
    }
  }

  private total({ requests, retries, ignoredFields, warnings }: FeedResult): void {
    this.totals.requests += requests;
    this.totals.retries += retries;
    for (const field of ignoredFields) this.ignoredFields.add(field);
    for (const warning of warnings) {
      const count = warning.count + (this.warnings.get(warning.code)?.count ?? 0);
      this.warnings.set(warning.code, { ...warning, count });
    }
  }
}
