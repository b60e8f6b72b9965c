import type { Actor } from '../../shared/audit/audit-log';
import { seal } from '../../shared/audit/audit-log';
import type { Door } from '../../shared/audit/entry';
import type { Operator, OperatorMeans } from '../../shared/operations/operator';
import { withHint } from '../../shared/operations/operator-error';
import type { Clock } from '../../shared/platform/clock';
import { DEFAULT_TOPICS, DEFAULT_TRANSFERS } from '../../shared/config';
import { deadlineIn } from '../../shared/platform/deadline';
import type { DocumentStore } from '../../shared/documents/document-store';
import type { Random } from '../../shared/platform/random';
import { MergeQueue } from '../../shared/records/merge-queue';
import { PresencePredictor } from '../../shared/records/presence-predictor';
import type { UpsertDependencies } from '../../shared/records/upsert-dependencies';

/** What an operator's command works with, without a database and without queues; upserts can use it, too. */
export function operatorOn(
  store: DocumentStore,
  {
    clock,
    random,
    databaseId = '(default)',
    door = 'command line',
  }: { clock: Clock; random: Random; databaseId?: string; door?: Door },
): Operator & OperatorMeans & UpsertDependencies & { readonly said: readonly string[] } {
  const said: string[] = [];
  const none = () => Promise.reject(new Error('There is no such service here.'));
  return seal({
    config: {
      projectId: 'p',
      databaseId,
      schedulerLocations: ['l'],
      topics: DEFAULT_TOPICS,
      reportsBucket: 'reports',
      transferServiceAccount: 'runner',
      proxies: 0,
      transfers: DEFAULT_TRANSFERS,
      emulators: {},
    },
    authority: 'operator',
    actor: { ...TEST_ACTOR, door },
    store,
    database: () => store,
    deadLetters: { pull: none, acknowledge: none, release: none, publish: none },
    publisher: { publish: none },
    topicGrants: { allowPublishing: none },
    storage: { list: none, find: none, read: () => empty(), write: none, remove: none },
    jobs: { find: none, all: noJobs, remove: none },
    clock,
    random,
    presencePredictor: new PresencePredictor(),
    mergeQueue: new MergeQueue(),
    deadline: () => deadlineIn(1_000, clock),
    progress: (message) => said.push(message),
    notice: (message, hint) => said.push(withHint(message, hint)),
    said,
  });
}

function noJobs(): never {
  throw new Error('There is no such service here.');
}
/** Who does what tests do as operators. */
export const TEST_ACTOR: Actor = { door: 'command line', name: () => Promise.resolve('ada@example.com') };

// eslint-disable-next-line @typescript-eslint/require-await
async function* empty(): AsyncGenerator<Buffer> {
  yield* [];
}
