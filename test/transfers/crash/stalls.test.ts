/**
 * Promise: a transfer is exact after any crash. Here: the database stands still at one write, for less and for more
 * than a call waits, and for more than a step has time; what was sent to it meanwhile still arrives.
 */
import { FirestoreDocumentStore } from '../../../shared/adapters/firestore/firestore-document-store';
import { GrpcFirestore } from '../../../shared/adapters/firestore/grpc/grpc-firestore';
import { CALL_TIMEOUT_MS } from '../../../shared/limits/platform';
import { REQUEST_DEADLINE_MS } from '../../../shared/domain/limits';
import { RedeliverLater } from '../../../shared/events/event-handler';
import { inParallel } from '../../../shared/platform/async/in-parallel';
import { ofTier, report } from '../../faults/tier';
import { withMethods } from '../../support/overriding';
import type { StartedRun } from '../../support/transfer-lab';
import { useTransferLab } from '../../support/transfer-lab';
import { exportShop } from './exported-shop';
import { transferShop } from './shop-transfer';
import type { Held } from './stalling-proxy';
import { StallingProxy } from './stalling-proxy';

const SHORT_MS = 1_000;
const STALLS_MS = ofTier([SHORT_MS], [SHORT_MS, CALL_TIMEOUT_MS + 1_000, REQUEST_DEADLINE_MS + 2_000]);
/** Of a run's writes every so many is stalled. */
const EVERY = ofTier(4, 1);
/** They wait for most of the time. */
const AT_ONCE = 26;

const SHOP = exportShop([{ folder: 'crm/', kind: 'customers', format: 'csv', isGzip: true, slices: 1 }]);
const lab = useTransferLab();

interface Stall {
  /** At which write of the steps, from 1. */
  readonly write: number;
  readonly held: Held;
  readonly ms: number;
}

interface Outcome {
  readonly writes: number;
  readonly wasStalled: boolean;
  /** Steps that failed and came again. */
  readonly failures: number;
  readonly wrong: readonly string[];
}

/** Transfers the shop and replays its bad rows through a database that stalls once. */
async function runWithStall(stall?: Stall): Promise<Outcome> {
  const { config, operator } = lab();
  const { clock } = operator;
  const proxy = await StallingProxy.start(config.emulators.firestore!);
  const calls = new GrpcFirestore({ ...config, emulators: { firestore: proxy.address } }, clock);
  let [writes, failures, wasStalled, isAtWork] = [0, 0, false, false];
  const store = withMethods(new FirestoreDocumentStore(calls, operator), (method, name) => (...args) => {
    if (isAtWork && (name === 'commit' || name === 'writeEach')) writes += 1;
    if (stall && !wasStalled && writes === stall.write) {
      wasStalled = true;
      proxy.stall(stall.held);
      void clock.sleep(stall.ms).then(() => proxy.goOn());
    }
    return method(...args);
  });
  const deliverAll = async ({ trigger, waiting, deliver }: StartedRun) => {
    isAtWork = true;
    waiting.push(trigger);
    for (let message = waiting.shift(); message; message = waiting.shift()) {
      try {
        await deliver(message);
      } catch (error) {
        // A step whose answer was lost as it ended the run asks to come again, and does what is left then.
        if (!(error instanceof RedeliverLater)) failures += 1;
        waiting.push(message);
      }
    }
    isAtWork = false;
  };
  try {
    const options = { overrides: { store }, deadlineMs: REQUEST_DEADLINE_MS };
    const wrong = await transferShop(lab(), { shop: SHOP, tenant: {}, deliverAll, options });
    return { writes, wasStalled, failures, wrong };
  } finally {
    await calls.close();
    await proxy.stop();
  }
}

it('a database that stands still at a write leaves nothing lost, doubled or miscounted', async () => {
  const undisturbed = await runWithStall();
  expect(undisturbed).toMatchObject({ failures: 0, wrong: [] });
  const writeNumbers = Array.from({ length: undisturbed.writes }, (_, index) => index + 1);
  const stalls = writeNumbers
    .filter((write) => write % EVERY === 1 % EVERY)
    .flatMap((write) =>
      STALLS_MS.flatMap((ms) => (['requests', 'answers'] as const).map((held): Stall => ({ write, held, ms }))),
    );
  const wrong: string[] = [];
  await inParallel(stalls, AT_ONCE, async (stall) => {
    const { wasStalled, failures, wrong: differences } = await runWithStall(stall);
    const found = [
      ...differences,
      ...(wasStalled ? [] : ['it was not stalled']),
      ...(failures > 0 === stall.ms > REQUEST_DEADLINE_MS ? [] : [`${failures} steps failed`]),
    ];
    wrong.push(...found.map((text) => `${JSON.stringify(stall)}: ${text}`));
  });
  report('a transfer is exact after a stall of the database', stalls.length, wrong.length);
  expect(wrong).toEqual([]);
});
