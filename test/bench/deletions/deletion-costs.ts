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
  readonly isBatch: boolean;
  readonly count: number;
  /** Deletions before those that count, for the compilers of Node.js and the emulator. */
  readonly warmUp: number;
  /** Sends deletions of `count` sample records from number `first` on. */
  readonly send: (servers: DeletionServers, tenant: Tenant, count: number, first: number) => Promise<readonly Answer[]>;
}

export interface DeletionCost {
  readonly cost: RouteCost;
  readonly isBatch: boolean;
  readonly load: CountedLoad;
}

const ALONE = 50;
const AT_ONCE = 2_000;
const BATCHES = 2;
const WARM_UP = 200;

/** @param quick small sizes, whose figures mean little */
export function deletionRoutes(quick: boolean): DeletionRoute[] {
  const alone = quick ? 20 : ALONE;
  const atOnce = quick ? 300 : AT_ONCE;
  const batches = (quick ? 1 : BATCHES) * MAX_DELETION_BATCH;
  return [
    {
      name: 'DELETE, customers, one after the other',
      kind: 'customers',
      isBatch: false,
      count: alone,
      warmUp: alone,
      send: (servers, tenant, count, first) =>
        sendByCallers(1, count, (number) => servers.delete(tenant, first + number)),
    },
    {
      name: `DELETE, customers, ${atOnce.toLocaleString('en')} at once`,
      kind: 'customers',
      isBatch: false,
      count: atOnce,
      warmUp: WARM_UP,
      send: (servers, tenant, count, first) =>
        sendByCallers(CALLERS, count, (number) => servers.delete(tenant, first + number)),
    },
    ...(['customers', 'products', 'orders'] as const).map((kind): DeletionRoute => {
      return {
        name: `POST deletions, ${kind}, ${MAX_DELETION_BATCH.toLocaleString('en')} each`,
        kind,
        isBatch: true,
        count: batches,
        warmUp: WARM_UP,
        send: (servers, tenant, count, first) =>
          sendByCallers(1, Math.ceil(count / MAX_DELETION_BATCH), (number) => {
            const done = number * MAX_DELETION_BATCH;
            return servers.deleteBatch(tenant, Math.min(MAX_DELETION_BATCH, count - done), first + done);
          }),
      };
    }),
  ];
}

/** Costs of a route, on emulators of its own: a query of theirs goes through all that they hold. */
export function measureDeletionCost(route: DeletionRoute): Promise<DeletionCost> {
  const { name, kind, isBatch, count, warmUp, send } = route;
  return withBenchStack((stack) =>
    withDeletionServers(stack, { kind, isCounted: true }, async (servers) => {
      const tenant = await stack.createTenant();
      await servers.fill(tenant, warmUp + count, 0);
      requireAccepted(await send(servers, tenant, warmUp, 0));
      await servers.untilApplied(tenant);
      await servers.takeCalls();
      const cpuBefore = await servers.cpuMs();
      const startMs = performance.now();
      const answers = requireAccepted(await send(servers, tenant, count, warmUp));
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
        isBatch,
        cost: { route: name, by: 'service', consumption: ofAMillion(consumption, count) },
        load: { name, calls, seconds: elapsedMs / 1000 },
      };
    }),
  );
}

function requireAccepted(answers: readonly Answer[]): readonly Answer[] {
  const [refused] = refusedOf(answers);
  if (refused) throw new Error(`A deletion was answered with ${refused.status} ${refused.text}`);
  return answers;
}
