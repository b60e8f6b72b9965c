/**
 * The audit log: who has changed what.
 *
 * A use case gets what it needs to change something (`Means`) from here alone: it is sealed, and shows only what reads.
 * So whoever writes a new act cannot forget its entry: the act would not compile.
 *
 * - `commitAct`: an act that is one commit. Its entry is in that commit.
 * - `performAct`, `performEach`: an act of many commits, or of other services. One entry is written before it and one
 *   after it, with its outcome.
 * - `beginSteps`, `performStep`, `endSteps`: an act of many steps, each of which may be another request. What is left
 *   to do is stored, and so is the name of its first entry.
 */
import type { CommitOutcome, DocumentStore, DocumentWrite } from '../documents/document-store';
import type { Clock } from '../platform/clock';
import type { Deadline } from '../platform/deadline';
import type { Random } from '../platform/random';
import type { Act, ActOutcome, AuditedState, Door, EntryFacts } from './entry';
import { entryIdAt, toEntryWrite } from './entry';

/** Who acts. */
export interface Actor {
  readonly door: Door;
  /** As the log names the actor: an account, a user of the operating system, or the public name of a key. */
  name(): Promise<string>;
}

/** What every act needs to be written down. */
export interface AuditMeans {
  readonly actor: Actor;
  readonly store: DocumentStore;
  readonly clock: Clock;
  readonly random: Random;
  /** A fresh deadline for one step of the work. */
  readonly deadline: () => Deadline;
}

declare const MEANS: unique symbol;

/** Holds means that only an act gets. Whoever declares a value so sees nothing of them. */
export interface Sealed<Means> {
  readonly [MEANS]: Means;
}

/** The same object, as what can be handed to use cases. */
export function seal<Means extends AuditMeans>(means: Means): Means & Sealed<Means> {
  return means as Means & Sealed<Means>;
}

/** The only way back. */
function unseal<Means>(sealed: Sealed<Means>): Means {
  return sealed as unknown as Means;
}

/**
 * Applies an act that is one commit, with its entry. A repeat after a lost answer writes one entry.
 * @returns as `DocumentStore.commit`; in conflict nothing is written, no entry either
 */
export async function commitAct(
  sealed: Sealed<AuditMeans>,
  act: Act,
  writes: readonly DocumentWrite[],
  deadline: Deadline,
): Promise<CommitOutcome> {
  const means = unseal(sealed);
  const { write } = await toEntry(act, { outcome: 'done' }, means);
  return means.store.commit([write, ...writes], deadline);
}

/**
 * Does an act of many steps.
 * @param work gets what it may change
 * @param toAfter what the last entry says of its result
 */
export async function performAct<Means extends AuditMeans, Result>(
  sealed: Sealed<Means>,
  act: Act,
  work: (means: Means) => Promise<Result>,
  toAfter: (result: Result) => AuditedState | undefined = () => undefined,
): Promise<Result> {
  const means = unseal(sealed);
  const end = await beginAct(act, means);
  let result: Result;
  try {
    result = await work(means);
  } catch (error) {
    await end.failed(error);
    throw error;
  }
  await end.done(toAfter(result));
  return result;
}

/** Does an act that yields its results one at a time. Its last entry says how many it has yielded. */
export async function* performEach<Means extends AuditMeans, Result>(
  sealed: Sealed<Means>,
  act: Act,
  work: (means: Means) => AsyncIterable<Result>,
): AsyncGenerator<Result> {
  const means = unseal(sealed);
  const end = await beginAct(act, means);
  let count = 0;
  let isOver = false;
  try {
    for await (const result of work(means)) {
      count += 1;
      yield result;
    }
    isOver = true;
  } catch (error) {
    isOver = true;
    await end.failed(error, { count });
    throw error;
  } finally {
    if (!isOver) await end.stopped({ count });
  }
  await end.done({ count });
}

/**
 * Begins an act of many steps: its first entry, and what says how far it is, are one commit.
 * @param toWrites gets the id of the entry, which the steps and the end name
 * @returns as `DocumentStore.commit`; in conflict nothing is written, no entry either
 */
export async function beginSteps(
  sealed: Sealed<AuditMeans>,
  act: Act,
  toWrites: (beganAs: string) => readonly DocumentWrite[],
  deadline: Deadline,
): Promise<CommitOutcome> {
  const means = unseal(sealed);
  const { entryId, write } = await toEntry(act, { outcome: 'begun' }, means);
  return means.store.commit([write, ...toWrites(entryId)], deadline);
}

/** Does a step of an act that was begun. One that fails has an entry; it may be done again. */
export async function performStep<Means extends AuditMeans, Result>(
  sealed: Sealed<Means>,
  act: Act,
  beganAs: string,
  work: (means: Means) => Promise<Result>,
): Promise<Result> {
  const means = unseal(sealed);
  try {
    return await work(means);
  } catch (error) {
    const failed = await toEntry(act, { outcome: 'failed', beganAs, error: nameOf(error) }, means);
    await means.store.commit([failed.write], means.deadline()).catch(() => undefined); // as `beginAct` says
    throw error;
  }
}

/** Ends an act of many steps, as `beginSteps` began it. */
export async function endSteps(
  sealed: Sealed<AuditMeans>,
  act: Act,
  beganAs: string,
  writes: readonly DocumentWrite[],
  deadline: Deadline,
): Promise<CommitOutcome> {
  const means = unseal(sealed);
  const { write } = await toEntry(act, { outcome: 'done', beganAs }, means);
  return means.store.commit([write, ...writes], deadline);
}

/** Writes the entry of the beginning. @returns what writes that of the end */
async function beginAct(act: Act, means: AuditMeans) {
  const begun = await toEntry(act, { outcome: 'begun' }, means);
  await means.store.commit([begun.write], means.deadline());
  const write = async (outcome: ActOutcome, after: AuditedState | undefined, error?: unknown) => {
    const ended = { ...act, ...(after && { after: { ...act.after, ...after } }) };
    const facts = { outcome, beganAs: begun.entryId, ...(error !== undefined && { error: nameOf(error) }) };
    await means.store.commit([(await toEntry(ended, facts, means)).write], means.deadline());
  };
  return {
    done: (after?: AuditedState) => write('done', after),
    // Without this entry the act is left as begun. What went wrong before is what its caller must learn.
    failed: (error: unknown, after?: AuditedState) => write('failed', after, error).catch(() => undefined),
    stopped: (after?: AuditedState) => write('stopped', after).catch(() => undefined),
  };
}

async function toEntry(
  act: Act,
  facts: Omit<EntryFacts, 'at' | 'actor' | 'door'>,
  { actor, clock, random }: AuditMeans,
) {
  const name = await actor.name();
  const at = new Date(clock.nowMs());
  const entryId = entryIdAt(at, random.bytes(6).toString('hex'));
  return { entryId, write: toEntryWrite(entryId, act, { at, actor: name, door: actor.door, ...facts }) };
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'Error';
}
