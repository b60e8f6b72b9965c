/**
 * The end of a run while answers of the database are lost and processes die: whatever the commit, the run is summed,
 * logged and alerted, and its tenant notified.
 */
import type { DocumentStore, DocumentWrite } from '../../shared/documents/document-store';
import { idOf, runFilesPath, runPath } from '../../shared/documents/paths';
import { recurringJobId } from '../../shared/domain/transfer';
import type { EventPublisher } from '../../shared/events/event-publisher';
import { RedeliverLater } from '../../shared/events/event-handler';
import { END_CLAIM_SECONDS } from '../../shared/limits/transfers';
import { systemClock } from '../../shared/platform/clock';
import { cancelRun } from '../../shared/transfers/runs/finish-run';
import { firstStep } from '../../shared/transfers/runs/resume-run';
import { fromRunDocument, toRunDocument } from '../../shared/transfers/runs/run';
import { ObservedDocumentStore } from '../support/observed-document-store';
import { changingCommits, overriding } from '../support/overriding';
import { CollectingLogger } from '../support/recording-fakes';
import { aRun } from '../support/stored-run';
import type { Message, RunOptions, StartedRun } from '../support/transfer-lab';
import { useTransferLab } from '../support/transfer-lab';
import { customers, ndjson, stored } from './numbered-customers';

/** So that each file has a message of its own, as large ones have. */
jest.mock<object>('../../shared/limits/transfers', () => ({
  ...jest.requireActual<object>('../../shared/limits/transfers'),
  UNIT_FILES: 1,
}));

const lab = useTransferLab();

/** A run of a tenant with a topic, whose job has failed twice before; its trigger waits. */
async function begin(
  overrides: NonNullable<RunOptions['overrides']>,
  objects: readonly string[] = ['customers.ndjson'],
) {
  const shop = await lab().openShop({ notifyTopic: 'projects/shop-of-ada/topics/runs' });
  const { store, deadline } = lab().operator;
  const failed = aRun(shop.tenant.tenantId, { status: 'failed', jobId: recurringJobId('daily', shop.tenant.tenantId) });
  const writes = ['a', 'b'].map((id) => ({
    set: runPath(`20260101110000-${id}${shop.tenant.tenantId}`),
    data: toRunDocument(failed),
  }));
  await store.commit(writes, deadline());
  for (const object of objects) shop.bucket.put(object, ndjson(customers(1, 3)));
  const sent: object[] = [];
  const publisher: EventPublisher = {
    publish: (topic, event) => {
      if (topic.startsWith('projects/')) sent.push(event);
      else started.publish(event);
      return Promise.resolve();
    },
  };
  const logger = new CollectingLogger();
  const started = lab().start(shop.tenant, shop.bucket, { overrides: { publisher, logger, ...overrides } });
  started.waiting.push(started.trigger);
  const runId = async () => (await started.shown()).runId;
  const logged = (start: string) => logger.entries.filter(({ message }) => message.startsWith(start));
  return {
    bucket: shop.bucket,
    started,
    sent,
    runId,
    run: async () => fromRunDocument((await store.get(runPath(await runId()), deadline()))!),
    cancel: async () => cancelRun(await runId(), deadline(), lab().operator),
    lines: () => logged('A transfer run has ended.'),
    alerts: () => logged('A recurring transfer has failed three times in a row.'),
  };
}

type Begun = Awaited<ReturnType<typeof begin>>;

/** Delivers every message until it succeeds. @returns what was thrown */
async function deliverAll({ waiting, deliver }: StartedRun, before: (message: Message) => unknown) {
  const failures: unknown[] = [];
  for (let message = waiting[0]; message; message = waiting[0]) {
    await before(message);
    try {
      await deliver(message);
      waiting.shift();
    } catch (error) {
      failures.push(error);
      if (failures.length > 5) throw error;
    }
  }
  return failures;
}

const isOfRun = (write: DocumentWrite) => 'set' in write && write.set === runPath(idOf(write.set));
const isStep = ({ event }: Message, step: string) => 'step' in event && event.step === step;

/** What becomes of a commit that is made. */
type Fault = 'lost answer' | 'death';

/** A store with a fault at the nth commit of a run's document. */
function faultyAt(nth: number, fault: Fault, store: DocumentStore) {
  let commits = 0;
  const faulty = changingCommits(store, async (commit, writes) => {
    const outcome = await commit();
    if (!writes.some(isOfRun) || outcome === 'conflict') return outcome;
    commits += 1;
    if (commits !== nth) return outcome;
    if (fault === 'death') throw new Error('The process died.');
    return 'conflict'; // the adapter has repeated the commit, and the repeat has met the first attempt
  });
  return { store: faulty, hasFailed: () => commits >= nth };
}

interface End {
  readonly why: string;
  readonly objects?: readonly string[];
  /** What happens before each delivery. */
  readonly before?: (run: Begun, message: Message) => unknown;
  readonly notification: object;
}

const ENDS: readonly End[] = [
  { why: 'all files are read', notification: { status: 'succeeded', rows: stored(3) } },
  { why: 'there is no file', objects: [], notification: { status: 'succeeded', rows: stored(0) } },
  {
    why: 'its folder may not be listed',
    before: ({ bucket }, message) => isStep(message, 'plan') && bucket.denyAccess(),
    notification: { status: 'failed', rows: stored(0) },
  },
  {
    why: 'a file may not be read',
    before: ({ bucket }, message) => isStep(message, 'unit') && bucket.denyAccess(),
    notification: { status: 'failed', rows: stored(0) },
  },
  {
    why: 'somebody cancels it',
    before: async ({ started, cancel, runId }, message) => {
      if (!isStep(message, 'unit')) return;
      await cancel();
      if (started.waiting.length === 1) started.publish(firstStep(await runId(), {}));
    },
    notification: { status: 'cancelled', rows: stored(0) },
  },
  {
    why: 'somebody cancels it, and dies before the message is published',
    before: ({ cancel }, message) => isStep(message, 'unit') && cancel(),
    notification: { status: 'cancelled', rows: stored(0) },
  },
];

describe.each(ENDS)('a run that ends because $why', ({ objects, before, notification }) => {
  it.each<Fault>(['lost answer', 'death'])('is ended as a whole after any %s (R-112, R-113)', async (fault) => {
    let nth = 0;
    for (let hasFailed = true; hasFailed;) {
      nth += 1;
      const faulty = faultyAt(nth, fault, lab().operator.store);
      const begun = await begin({ store: faulty.store }, objects);
      const failures = await deliverAll(begun.started, (message) => before?.(begun, message));
      hasFailed = faulty.hasFailed();
      const run = await begun.run();
      expect({ nth, ...run }).toMatchObject({ nth, ...notification, files: {} });
      expect(run).not.toHaveProperty('ending');
      expect(begun.sent[0]).toMatchObject(notification);
      const told = [begun.sent, begun.lines(), begun.alerts()].map(({ length }) => length);
      const once = [1, 1, run.status === 'failed' ? 1 : 0];
      if (fault === 'death')
        expect({ nth, told: told.map((count) => Math.min(count, 1)) }).toEqual({ nth, told: once });
      else {
        expect({ nth, told }).toEqual({ nth, told: once });
        expect(failures.filter((failure) => !(failure instanceof RedeliverLater))).toEqual([]);
      }
    }
    expect(nth).toBeGreaterThan(3); // so many commits had the fault
  });
});

describe('a cancelled run whose message is not published', () => {
  const OBJECTS = Array.from({ length: 20 }, (_, n) => `customers-${n}.ndjson`);

  /** Cancels the run when only the steps of its files wait. */
  async function cancelWaiting(laterMs = () => 0) {
    const store = new ObservedDocumentStore(lab().operator.store);
    const clock = overriding(systemClock, { nowMs: () => systemClock.nowMs() + laterMs() });
    const begun = await begin({ store, clock }, OBJECTS);
    for (const _ of ['trigger', 'plan']) await begun.started.deliver(begun.started.waiting.shift()!);
    await begun.cancel();
    const files = runFilesPath(await begun.runId());
    const sums = () => store.calls.filter(({ method, paths }) => method === 'list' && paths[0] === files).length;
    return { ...begun, store, sums };
  }

  it('is summed by one of the files that wait, however many come (R-112)', async () => {
    const { started, sums, sent, lines } = await cancelWaiting();
    const [first, ...others] = started.waiting.splice(0);
    await started.deliver(first!);
    await Promise.all(others.map((message) => started.deliver(message)));
    expect(sums()).toBe(1);
    expect(sent).toMatchObject([{ status: 'cancelled', rows: stored(0) }]);
    const none = { rowsRead: 0, rowsStored: 0, rowsInvalid: 0, rowsStale: 0, rowsDeleted: 0 };
    expect(lines()).toMatchObject([{ severity: 'INFO', details: { status: 'cancelled', ...none } }]);
  });

  it('is left to the file that has claimed it, until the claim is over (R-112)', async () => {
    let laterMs = 0;
    const { started, store, sums, sent, run } = await cancelWaiting(() => laterMs);
    const [first, second, third] = started.waiting.splice(0);
    store.failing = ({ method }) => method === 'list';
    await expect(started.deliver(first!)).rejects.toThrow();
    store.failing = () => false;
    store.forget();
    await started.deliver(second!);
    expect(sums()).toBe(0);
    expect((await run()).ending).toBeDefined();
    laterMs = END_CLAIM_SECONDS * 1000;
    await started.deliver(third!);
    expect(sent).toMatchObject([{ status: 'cancelled', rows: stored(0) }]);
    expect(await run()).not.toHaveProperty('ending');
  });
});
