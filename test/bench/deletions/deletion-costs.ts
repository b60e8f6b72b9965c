/** What deletions cost: alone, many at once, and by the route of batches, counted through proxies. */
import { MAX_DELETION_BATCH } from '../../../shared/domain/limits';
import type { Tenant } from '../../../shared/domain/tenant';
import { withBenchStack } from '../bench-stack';
import type { FirestoreCall } from '../call-summary';
import { busyMs, summarizeCalls } from '../call-summary';
import type { Answer } from '../http-client';
import type { Consumption } from '../list-prices';
import type { RouteCost } from '../route-costs';
import { ofAMillion } from '../route-costs';
import type { BenchKind } from '../sample-records';
import type { DeletionServers } from './deletion-servers';
import { withDeletionServers } from './deletion-servers';
import { refusedOf, sendByCallers } from './request-load';
import type { CountedLoad } from './hot-documents';

/** Callers of deletions that are sent at once. */
export const CALLERS = 48;

/** A way of sending deletions. */
export interface DeletionRoute {
  readonly name: string;
  readonly kind: BenchKind;
  /** Whether customers are named by the identifier without priority, so that they have to be looked up by queries. */
  readonly isByOther?: boolean;
  /** Who send at the same time. */
  readonly callers: number;
  /** Deletions of one request; undefined: each is a request of its own. */
  readonly batch?: number;
  readonly count: number;
  /** Deletions before those that count, for the compilers of Node.js and the emulator. */
  readonly warmUp: number;
}

export interface DeletionCost {
  readonly cost: RouteCost;
  readonly isBatch: boolean;
  /** Requests that were answered with 503 and sent again. What they took is part of the costs. */
  readonly repeats: number;
  readonly load: CountedLoad;
}

/** With fewer, a collection of garbage more or less is a tenth of the CPU. */
const ALONE = 500;
const AT_ONCE = 2_000;
const BATCHES = 2;
const WARM_UP = 200;
/** One after the other they are slow to warm up: about as many requests as an instance takes in some minutes. */
const ALONE_WARM_UP = 500;

/** @param quick small sizes, whose figures mean little */
export function deletionRoutes(quick: boolean): DeletionRoute[] {
  const alone = quick ? 20 : ALONE;
  const atOnce = quick ? 300 : AT_ONCE;
  const batches = (quick ? 1 : BATCHES) * MAX_DELETION_BATCH;
  return [
    {
      name: 'DELETE, customers, one after the other',
      kind: 'customers',
      callers: 1,
      count: alone,
      warmUp: quick ? alone : ALONE_WARM_UP,
    },
    {
      name: `DELETE, customers, ${atOnce.toLocaleString('en')} at once`,
      kind: 'customers',
      callers: CALLERS,
      count: atOnce,
      warmUp: WARM_UP,
    },
    {
      name: `DELETE, customers by the other identifier, ${atOnce.toLocaleString('en')} at once`,
      kind: 'customers',
      isByOther: true,
      callers: CALLERS,
      count: atOnce,
      warmUp: WARM_UP,
    },
    ...(['customers', 'products', 'orders'] as const).map((kind): DeletionRoute => {
      const name = `POST deletions, ${kind}, ${MAX_DELETION_BATCH.toLocaleString('en')} each`;
      return { name, kind, callers: 1, batch: MAX_DELETION_BATCH, count: batches, warmUp: WARM_UP };
    }),
  ];
}

/** Costs of a route, on emulators of its own: a query of theirs goes through all that they hold. */
export function measureDeletionCost(route: DeletionRoute): Promise<DeletionCost> {
  const { name, kind, batch, count, warmUp } = route;
  return withBenchStack((stack) =>
    withDeletionServers(stack, { kind, isCounted: true }, async (servers) => {
      const tenant = await stack.createTenant();
      await servers.fill(tenant, warmUp + count, 0);
      await sendAll(servers, tenant, route, warmUp, 0);
      await servers.untilApplied(tenant);
      await servers.takeCalls();
      const cpuBefore = await servers.cpuMs();
      const startMs = performance.now();
      const answers = await sendAll(servers, tenant, route, count, warmUp);
      const requestsMs = performance.now() - startMs;
      await servers.untilApplied(tenant);
      const elapsedMs = performance.now() - startMs;
      const cpuMs = (await servers.cpuMs()) - cpuBefore;
      const { http, consumer } = await servers.takeCalls();
      const left = await servers.countRecords(tenant);
      if (left > 0) throw new Error(`Of ${count} records ${left} were not deleted.`);
      const calls: FirestoreCall[] = [...http.calls, ...consumer.calls];
      const publishes = http.publishes + consumer.publishes;
      const consumption: Consumption = {
        ...summarizeCalls(calls),
        // Each message is published once and pushed once, and the push is a request, too.
        messages: 2 * publishes,
        requests: answers.length + publishes,
        cpuSeconds: cpuMs / 1000,
        instanceSeconds: (requestsMs + busyMs(consumer.calls)) / 1000,
      };
      return {
        isBatch: batch !== undefined,
        repeats: refusedOf(answers).length,
        cost: { route: name, by: 'service', consumption: ofAMillion(consumption, count) },
        load: { name, calls, seconds: elapsedMs / 1000 },
      };
    }),
  );
}

/** Deletes sample records from number `first` on. @returns all answers, those of repeats among them */
async function sendAll(
  servers: DeletionServers,
  tenant: Tenant,
  { callers, batch, isByOther }: DeletionRoute,
  count: number,
  first: number,
): Promise<readonly Answer[]> {
  const size = batch ?? 1;
  const answers = await sendByCallers(callers, Math.ceil(count / size), (number) => {
    const done = number * size;
    return untilAccepted(() =>
      batch === undefined
        ? servers.delete(tenant, first + done, isByOther)
        : servers.deleteBatch(tenant, Math.min(size, count - done), first + done),
    );
  });
  return answers.flat();
}

/** Sends a request until it is accepted. @throws Error for an answer other than 200 and 503 */
async function untilAccepted(send: () => Promise<Answer>): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (;;) {
    const answer = await send();
    answers.push(answer);
    if (answer.status === 200) return answers;
    if (answer.status !== 503) throw new Error(`A deletion was answered with ${answer.status} ${answer.text}`);
  }
}
