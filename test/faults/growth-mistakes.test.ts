/** The measures of growth can fail: each mistake, planted alone, is caught, and without one they find nothing. */
import { stepCounter } from './growth/step-counter'; // before the code whose steps it counts
import { isPresent } from '../../shared/domain/values/text';
import { EventLoopShare } from '../../shared/platform/async/event-loop-share';
import type { Prepare } from './growth/cost';
import { costsOf, excessesOf, turnsOf } from './growth/cost';
import { MeteredService } from './growth/metered-service';
import { MeteredTransfers } from './growth/metered-transfers';
import { json, order } from './growth/records';
import { TurnMeter } from './growth/turn-meter';
import { WORST_ORDERS } from './growth/worst-batches';
import { report } from './tier';

afterEach(() => jest.restoreAllMocks());
afterAll(() => stepCounter.stop());

/** The body of the largest is short enough to be parsed before it is looked at, as that of the smallest. */
const SIZE = 250;

/** A smallest input whose only run was held up by something else would hide that the time grows. */
const TIMING = { timedRuns: 4, repeats: 1 };

/** So would one whose runs all were, on a machine that is busy for long: then all is measured again. */
const MOST_TRIES = 3;

/** What is found where a mistake is planted. */
async function excessesOfPlanted(prepare: Prepare): Promise<string[]> {
  let excesses: string[] = [];
  for (let tries = 0; tries < MOST_TRIES && excesses.length === 0; tries += 1) {
    excesses = excessesOf(await costsOf(prepare, SIZE, stepCounter, TIMING));
  }
  return excesses;
}

/** One order of many items. @param plant makes a mistake in the service */
function orderOfItems(plant: (to: MeteredService) => void = () => undefined): Prepare {
  return async (size) => {
    const to = await MeteredService.open('orders');
    const caller = await to.createMeteredCaller();
    plant(to);
    return to.prepare(caller, [200], { path: `/orders/${caller.tenantId}`, body: json([order('x', size)]) });
  };
}

/** What is done beside, with each identifier that is matched. */
let mockBeside: ((id: string) => void) | undefined;

jest.mock('../../shared/domain/values/text', () => {
  const text = jest.requireActual<{ toMatchingId(id: string): string }>('../../shared/domain/values/text');
  const toMatchingId = (id: string) => {
    mockBeside?.(id);
    return text.toMatchingId(id);
  };
  return { ...text, toMatchingId };
});

afterEach(() => {
  mockBeside = undefined;
});

/** For each identifier that is matched, something is done with all identifiers before it. */
function withAllBefore(work: (ids: readonly string[]) => void): void {
  const before: string[] = [];
  mockBeside = (id) => {
    before.push(id);
    work(before);
  };
}

/** All are looked at again for each that is sent. */
function lookAgain(): void {
  withAllBefore((ids) => ids.forEach((id) => isPresent(id)));
}

/** All are copied for each that is sent, which is one step of the language and much work for the processor. */
function copyAgain(): void {
  withAllBefore((ids) => COPIES.forEach(() => JSON.stringify(ids)));
}

/** As many that the copies are most of the work, also of the smallest input. */
const COPIES = Array.from({ length: 32 });

/** Everything that was read is read again with each further read. */
function readAgain(to: MeteredService): void {
  const { store } = to;
  const getAll = store.getAll.bind(store);
  const read: string[] = [];
  for (const method of ['writeEach', 'commit'] as const) {
    const write = store[method].bind(store) as (...call: unknown[]) => Promise<never>;
    jest.spyOn(store, method).mockImplementation(async (...call: unknown[]) => {
      const [writes] = call as [readonly { set?: string; data?: { OrderItems?: readonly unknown[] } }[]];
      const items = writes[0]?.data?.OrderItems?.length ?? 0;
      for (let item = 0; item < items; item += 20) {
        read.push(String(item));
        await getAll(read, to.deadline());
      }
      return write(...call);
    });
  }
}

it('finds nothing where no mistake is planted', async () => {
  expect(excessesOf(await costsOf(orderOfItems(), SIZE, stepCounter))).toEqual([]);
});

it.each<[mistake: string, measure: string, plant: (to: MeteredService) => void]>([
  ['identifiers that are looked at again for each one', 'steps', lookAgain],
  ['identifiers that are copied again for each one', 'cpuMs', copyAgain],
  ['documents that are read again for each one', 'documents', readAgain],
])('catches %s', async (mistake, measure, plant) => {
  const excesses = await excessesOfPlanted(orderOfItems(plant));
  report(`work is linear: ${mistake} are caught`, 1, excesses.length > 0 ? 0 : 1, `by: ${excesses.join('; ')}`);
  expect(excesses.join()).toContain(`${measure} grow`);
});

/** A file with one order of many items. @param plant makes a mistake in the service */
function fileOfItems(plant: () => void = () => undefined): Prepare {
  return async (size) => {
    const transfers = await MeteredTransfers.open();
    const sent = json(order('x', size));
    transfers.put('orders.ndjson', sent);
    plant();
    return transfers.prepare(['succeeded'], sent.length);
  };
}

it('finds nothing in a file where no mistake is planted', async () => {
  expect(excessesOf(await costsOf(fileOfItems(), SIZE, stepCounter))).toEqual([]);
});

it.each<[mistake: string, measure: string, plant: () => void]>([
  ['identifiers of a file that are looked at again for each one', 'steps', lookAgain],
  ['identifiers of a file that are copied again for each one', 'cpuMs', copyAgain],
])('catches %s', async (mistake, measure, plant) => {
  const excesses = await excessesOfPlanted(fileOfItems(plant));
  report(`work is linear: ${mistake} are caught`, 1, excesses.length > 0 ? 0 : 1, `by: ${excesses.join('; ')}`);
  expect(excesses.join()).toContain(`${measure} grow`);
});

it('catches long work that never lets others have their turn', async () => {
  const input = WORST_ORDERS.find(({ name }) => name.endsWith('500 orders of 180 items with all fields'))!;
  const shared = await turnsOf(input.prepare, input.size, 2);
  jest.spyOn(EventLoopShare.prototype, 'isUsedUp', 'get').mockReturnValue(false);
  const held = await turnsOf(input.prepare, input.size, 2);
  report('nothing blocks: work without turns is caught', 1, 0, `${shared.blockMs} ms, without turns ${held.blockMs}`);
  expect(held.blockMs).toBeGreaterThan(2 * shared.blockMs);
});

describe('the meter of turns', () => {
  const SPIN_MS = 300;
  const busyMs = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  };
  const spin = (ms: number): Promise<void> => {
    for (const endMs = busyMs() + ms; busyMs() < endMs;);
    return Promise.resolve();
  };

  it('catches work that keeps others waiting', async () => {
    const { blockMs, delayMs } = await new TurnMeter().measure(() => spin(SPIN_MS));
    expect(blockMs).toBeGreaterThan(SPIN_MS / 2);
    expect(delayMs).toBeGreaterThan(SPIN_MS / 2);
  });

  it('lets the same work pass where it shares the event loop', async () => {
    const { blockMs, cpuMs } = await new TurnMeter().measure(async () => {
      const share = new EventLoopShare();
      for (let ms = 0; ms < SPIN_MS; ms += 1) {
        if (share.isUsedUp) await share.renew();
        await spin(1);
      }
    });
    expect(blockMs).toBeLessThan(SPIN_MS / 2);
    expect(cpuMs).toBeGreaterThan(SPIN_MS / 2);
  });

  it('does not count what is excused', async () => {
    const meter = new TurnMeter();
    const { blockMs, delayMs } = await meter.measure(() => meter.excuse(() => spin(SPIN_MS)));
    expect(blockMs).toBeLessThan(SPIN_MS / 2);
    expect(delayMs).toBeLessThan(SPIN_MS / 2);
  });
});
