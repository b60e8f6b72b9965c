/**
 * What a million records cost by route, from list prices: what was counted through the proxies, and the CPU beside it.
 */
import type { BenchStack } from '../bench-stack';
import { withBenchStack } from '../bench-stack';
import { summarizeCalls } from '../call-summary';
import { CountingProxies } from '../counting-proxies';
import { deletionRoutes, measureDeletionCost } from '../deletions/deletion-costs';
import { INSTANCE_GIB, LIST_PRICES, REQUEST_LOG_BYTES } from '../list-prices';
import type { RouteCost } from '../route-costs';
import { costTable, ofAMillion } from '../route-costs';
import { median } from '../statistics';
import type { Suite, SuiteOptions } from '../suite';
import { openTransferRuns } from '../transfer-runs';
import type { RequestSample, UpsertScenario } from '../upsert-scenarios';
import { countRequests, functionPath, peerPath, UPSERT_SCENARIOS, UpsertTarget } from '../upsert-scenarios';

const WARM_UP = 10;
/** CPU of a request: the median of so many. */
const CPU_REQUESTS = 10;
const TRANSFER_BYTES = 2 * 1024 * 1024;

const BY_SKU: UpsertScenario = {
  name: '200 products of 10 variants, new, by Sku',
  kind: 'products',
  records: 200,
  existing: 0,
  floorCommit: 50,
  productIdentifier: 'sku',
};

export const measureCost: Suite = async (options) => {
  const costs: RouteCost[] = [];
  for (const scenario of [...UPSERT_SCENARIOS, BY_SKU]) {
    options.progress(`cost: ${scenario.name}`);
    costs.push(...(await withBenchStack((stack) => measureUpsert(stack, scenario, options))));
  }
  for (const route of deletionRoutes(options.quick)) {
    options.progress(`cost: ${route.name}`);
    costs.push((await measureDeletionCost(route)).cost);
  }
  options.progress('cost: transfers');
  costs.push(await withBenchStack(measureTransfer));
  return {
    suite: 'cost',
    tables: [costTable(costs)],
    bars: [],
    notes: [
      `List prices of ${LIST_PRICES.date} (Firestore in Oregon, Pub/Sub, Cloud Run tier 1, Cloud Logging) without free ` +
        'quotas, storage and traffic. Upserts are sent in full batches. A refused write is priced as a read, which is an ' +
        'assumption. Instance time is how long an answer took on this machine, waiting included: it is what is paid for, ' +
        `with one CPU and ${INSTANCE_GIB} GiB. Requests that share an instance share it, so that it is at most this, and ` +
        'at least the CPU. Of deletions it is how long their requests took together, and how long their ' +
        'consumer waited for the database.',
      `Not measured: the log of a request, taken as ${REQUEST_LOG_BYTES} bytes; with a domain the load balancer writes ` +
        'as much again; and the counters of usage: at most one write for each request, and one for all requests of a ' +
        'tenant that an instance gets within half a minute.',
    ],
    samples: costs,
  };
};

async function measureUpsert(
  stack: BenchStack,
  scenario: UpsertScenario,
  { quick }: SuiteOptions,
): Promise<RouteCost[]> {
  const { kind, records, name, productIdentifier } = scenario;
  const all = [
    {
      by: 'service',
      path: functionPath,
      start: (environment: Record<string, string>) => stack.startFunction(kind, { environment }),
    },
    {
      by: 'peer',
      path: peerPath,
      start: (environment: Record<string, string>) => stack.startPeer('off', { environment }),
    },
  ] as const;
  const contestants = productIdentifier ? all.slice(0, 1) : all; // the peer knows no products by Sku
  const costs: RouteCost[] = [];
  for (const { by, path, start } of contestants) {
    const { later } = await countRequests(
      stack,
      scenario,
      (address) => start({ FIRESTORE_EMULATOR_HOST: address }),
      path,
    );
    const target = new UpsertTarget(stack, await start({}), await stack.createKey(), path);
    await target.warmUp(scenario, quick ? 1 : WARM_UP);
    const samples: RequestSample[] = [];
    for (let time = 0; time < (quick ? 1 : CPU_REQUESTS); time += 1) samples.push(await target.measure(scenario));
    const cpuSeconds = median(samples.map(({ cpuMs }) => cpuMs)) / 1000;
    const instanceSeconds = median(samples.map(({ wallMs }) => wallMs)) / 1000;
    const request = { ...later, messages: 0, cpuSeconds, instanceSeconds, requests: 1 };
    costs.push({ route: `POST, ${name}`, by, consumption: ofAMillion(request, records) });
  }
  return costs;
}

async function measureTransfer(stack: BenchStack): Promise<RouteCost> {
  const proxies = await CountingProxies.start(stack);
  const transfers = await openTransferRuns(stack);
  try {
    const file = transfers.writeFile('ndjson', TRANSFER_BYTES, 0);
    const { cpuMs, elapsedMs } = await transfers.run(file, { environment: proxies.environment });
    const { calls, publishes } = await proxies.take();
    // The trigger is published by the benchmark itself and only pushed here.
    const messages = 2 * publishes + 1;
    const consumption = {
      ...summarizeCalls(calls),
      messages,
      cpuSeconds: cpuMs / 1000,
      instanceSeconds: elapsedMs / 1000,
      requests: publishes + 1,
    };
    return { route: 'transfer of customers, new', by: 'service', consumption: ofAMillion(consumption, file.rows) };
  } finally {
    proxies.stop();
    await transfers.stop();
  }
}
