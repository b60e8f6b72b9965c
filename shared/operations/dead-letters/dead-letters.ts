/** Operators' use cases about dead letters: messages that could not be handled. */
import { isUtf8 } from 'node:buffer';
import { performEach } from '../../audit/audit-log';
import type { Action } from '../../audit/entry';
import { chunksOf } from '../../platform/chunks';
import type { Config } from '../../config';
import type { Shortened } from '../../events/dead-letter';
import { parseDeadLetter } from '../../events/dead-letter';
import type { Message, LeasedMessage } from '../../events/dead-letter-queue';
import { inParallel } from '../../platform/async/in-parallel';
import type { Operator, OperatorMeans } from '../operator';
import { HeldDeadLetters } from './held-dead-letters';
import { OperatorError } from '../operator-error';
import { requireWholeNumber } from '../inputs';

/** A dead letter as it is shown. */
export interface ShownDeadLetter {
  readonly id: string;
  readonly function: string | null;
  /** Where a replay publishes it; null when a replay is not possible. */
  readonly topic: string | null;
  readonly reason: string | null;
  /** Its id when it failed, as in the logs. */
  readonly failedMessageId: string | null;
  readonly attempts: number | null;
  /** When it became a dead letter. */
  readonly publishedAt: string;
  /** The full size and hash of a message that was too large for a dead letter, so that only its beginning was kept. */
  readonly shortened?: Shortened;
  /** Absent when the data is not JSON: then `dataBase64` has it. */
  readonly data?: unknown;
  readonly dataBase64?: string;
}

/** Names dead letters: either by their ids, or all. */
export interface DeadLetterSelection {
  readonly ids: readonly string[];
  readonly all?: boolean;
}

/** The most dead letters that one command holds in memory; they are small. */
const MAX_HELD = 10_000;
const DEFAULT_LISTED = 100;
/** Dead letters in one list. */
export const MAX_LISTED_DEAD_LETTERS = 1_000;

/** How long one pull waits for a message. The local stack delivers sooner. */
const PULL_WAIT_MS = 3_000;
const LOCAL_PULL_WAIT_MS = 1_000;

/** Dead letters that are acknowledged together; of these, so many are published concurrently. */
const GROUP = 100;
const PUBLISHED_AT_ONCE = 10;

/** A dead letter that the command has taken from the queue. */
interface Chosen {
  readonly message: LeasedMessage;
  readonly original: Message;
  /** Where a replay publishes the original; null when that is not known, or Pub/Sub would refuse it. */
  readonly topic: string | null;
  readonly shown: ShownDeadLetter;
}

/**
 * The dead letters that Pub/Sub hands out, the oldest first. They stay in the queue.
 * @throws InvalidInput when the limit is not 1 to MAX_LISTED_DEAD_LETTERS
 */
export async function listDeadLetters(options: { limit?: number }, operator: Operator): Promise<ShownDeadLetter[]> {
  const limit = requireWholeNumber('limit', options.limit ?? DEFAULT_LISTED, MAX_LISTED_DEAD_LETTERS);
  const held = hold(operator);
  try {
    return (await held.gather(limit)).map((message) => toChosen(message, operator.config).shown);
  } finally {
    await held.release();
  }
}

/**
 * Publishes dead letters to the topics that they came from, then acknowledges them, and yields them. When it is stopped
 * in between, they stay in the queue. A repeat is safe, because consumers accept an event twice.
 * @throws OperatorError before any change when an id is not found; at the end when some cannot be replayed
 */
export function replayDeadLetters(selection: DeadLetterSelection, operator: Operator): AsyncGenerator<ShownDeadLetter> {
  return actOnSelected('dead-letters.replay', selection, operator, replayChosen);
}

async function* replayChosen(
  chosen: readonly Chosen[],
  held: HeldDeadLetters,
  { deadLetters }: OperatorMeans,
): AsyncGenerator<ShownDeadLetter> {
  for (const group of chunksOf(chosen.filter(hasTopic), GROUP)) {
    await inParallel(group, PUBLISHED_AT_ONCE, ({ topic, original }) => deadLetters.publish(topic, original));
    await held.acknowledge(messagesOf(group), deadLetters);
    yield* group.map(({ shown }) => shown);
  }
  const unreplayable = chosen.filter((letter) => !hasTopic(letter)).map(({ shown }) => shown);
  if (unreplayable.length > 0)
    throw new OperatorError(whyNotReplayed(unreplayable), { hint: 'dead-letters discard ID removes it.' });
}

/**
 * Yields dead letters, then removes them. Those that the reader has not consumed stay in the queue.
 * @throws OperatorError before any change when an id is not found
 */
export function discardDeadLetters(
  selection: DeadLetterSelection,
  operator: Operator,
): AsyncGenerator<ShownDeadLetter> {
  return actOnSelected('dead-letters.discard', selection, operator, discardChosen);
}

async function* discardChosen(
  chosen: readonly Chosen[],
  held: HeldDeadLetters,
  { deadLetters }: OperatorMeans,
): AsyncGenerator<ShownDeadLetter> {
  for (const group of chunksOf(chosen, GROUP)) {
    yield* group.map(({ shown }) => shown);
    await held.acknowledge(messagesOf(group), deadLetters);
  }
}

/** Takes dead letters from the queue, does an act with them, and gives back those that it has not acknowledged. */
async function* actOnSelected(
  action: Action,
  selection: DeadLetterSelection,
  operator: Operator,
  work: (chosen: readonly Chosen[], held: HeldDeadLetters, means: OperatorMeans) => AsyncGenerator<ShownDeadLetter>,
): AsyncGenerator<ShownDeadLetter> {
  const held = hold(operator);
  try {
    const chosen = await takeSelected(selection, held, operator);
    yield* performEach(operator, { action }, (means) => work(chosen, held, means));
  } finally {
    await held.release();
  }
}

function messagesOf(group: readonly Chosen[]): LeasedMessage[] {
  return group.map(({ message }) => message);
}

function hold({ config, deadLetters }: Operator): HeldDeadLetters {
  const isLocal = config.emulators.pubsub !== undefined;
  return new HeldDeadLetters(deadLetters, isLocal ? LOCAL_PULL_WAIT_MS : PULL_WAIT_MS);
}

async function takeSelected(
  { ids, all = false }: DeadLetterSelection,
  held: HeldDeadLetters,
  operator: Operator,
): Promise<Chosen[]> {
  if (all === ids.length > 0)
    throw new OperatorError('Name dead letters by their ids, or ask for all of them.', { hint: '--all does.' });
  const wanted = new Set(ids);
  const gathered = await held.gather(MAX_HELD, all ? undefined : wanted);
  const found = gathered.filter(({ messageId }) => all || wanted.has(messageId));
  const missing = [...wanted].filter((id) => !found.some(({ messageId }) => messageId === id));
  if (missing.length > 0) {
    throw new OperatorError(
      `There is no dead letter ${missing.join(', ')}, so nothing was changed. One that somebody else has taken is back ` +
        'in a minute.',
      { hint: 'dead-letters list shows those that there are.' },
    );
  }
  if (found.length === 0) operator.notice('There are no dead letters.');
  return found.map((message) => toChosen(message, operator.config));
}

function toChosen(message: LeasedMessage, { topics }: Config): Chosen {
  const { original, reason, failedMessageId, attempts, shortened, ...letter } = parseDeadLetter(message);
  const topic = original.data.length > 0 && !shortened ? topicOf(letter.function, topics) : null;
  const shown = {
    id: message.messageId,
    function: letter.function,
    topic,
    reason,
    failedMessageId,
    attempts,
    publishedAt: message.publishedAt.toISOString(),
    ...(shortened && { shortened }),
    ...showData(original.data),
  };
  return { message, original, topic, shown };
}

/** The topic whose messages are pushed to a function; null for an unknown function. */
function topicOf(functionName: string | null, topics: Config['topics']): string | null {
  if (functionName === 'deletion-consumer') return topics.deletions;
  if (functionName === 'upload-consumer') return topics.uploads;
  return functionName === 'transfer-runner' ? topics.transfers : null;
}

function whyNotReplayed(letters: readonly ShownDeadLetter[]): string {
  const idsOf = (some: readonly ShownDeadLetter[]) => some.map(({ id }) => id).join(', ');
  const shortened = letters.filter((letter) => letter.shortened);
  const others = letters.filter((letter) => !letter.shortened);
  return [
    shortened.length > 0 &&
      `${idsOf(shortened)} cannot be replayed: the message was too large for a dead letter, and only its beginning was kept.`,
    others.length > 0 &&
      `${idsOf(others)} cannot be replayed: no function of the service is known for it, or it has no data.`,
    'It is still there.',
  ]
    .filter((sentence) => sentence !== false)
    .join(' ');
}

function hasTopic(chosen: Chosen): chosen is Chosen & { readonly topic: string } {
  return chosen.topic !== null;
}

/** The data without loss: bytes that are not UTF-8 are shown in base64, because decoding would replace them. */
function showData(data: Buffer): { data: unknown } | { dataBase64: string } {
  try {
    if (isUtf8(data)) return { data: JSON.parse(data.toString('utf8')) as unknown };
  } catch {
    // Not JSON.
  }
  return { dataBase64: data.toString('base64') };
}
