/**
 * What a million records cost by route, from list prices: what was counted through the proxies, and the CPU beside it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { deletionsPath } from '../../../shared/documents/paths';
import { requireFreePort } from '../../local/ports';
import { createTopology } from '../../local/pubsub-topology';
import type { BenchStack } from '../bench-stack';
import { withBenchStack } from '../bench-stack';
import { summarizeCalls } from '../call-summary';
import { CountingProxy } from '../counting-proxy';
import { firestoreCallReader, NOTHING } from '../firestore-calls';
import { call } from '../http-client';
import type { Consumption } from '../list-prices';
import { INSTANCE_GIB, LIST_PRICES, priceOf, REQUEST_LOG_BYTES } from '../list-prices';
import type { MeasuredProcess } from '../measured-process';
import { sampleRecords } from '../sample-records';
import { median } from '../statistics';
import type { Suite, SuiteOptions } from '../suite';
import { openTransferRuns } from '../transfer-runs';
import type { RequestSample, UpsertScenario } from '../upsert-scenarios';
import { countRequests, functionPath, peerPath, UPSERT_SCENARIOS, UpsertTarget } from '../upsert-scenarios';

const MILLION = 1_000_000;
const WARM_UP = 10;
/** CPU of a request: the median of so many. */
const CPU_REQUESTS = 10;
const DELETIONS = 50;
const TRANSFER_BYTES = 2 * 1024 * 1024;
const POLL_MS = 50;

const BY_SKU: UpsertScenario = {
  name: '200 products of 10 variants, new, by Sku',
  kind: 'products',
  records: 200,
  existing: 0,
  floorCommit: 50,
  productIdentifier: 'sku',
};

interface RouteCost {
  readonly route: string;
  readonly by: 'service' | 'peer';
  /** Of a million records. */
  readonly consumption: Consumption;
}

export const measureCost: Suite = async (options) => {
  const costs: RouteCost[] = [];
  for (const scenario of [...UPSERT_SCENARIOS, BY_SKU]) {
    options.progress(`cost: ${scenario.name}`);
    costs.push(...(await withBenchStack((stack) => measureUpsert(stack, scenario, options))));
  }
  options.progress('cost: deletions');
  costs.push(await withBenchStack(measureDeletions));
  options.progress('cost: transfers');
  costs.push(await withBenchStack(measureTransfer));
  return {
    suite: 'cost',
    tables: [
      {
        title: 'A million records, in US dollars',
        columns: [
          'route',
          'by',
          'reads',
          'writes',
          'deletes',
          'refused writes',
          'messages',
          'CPU s',
          'instance s',
          'requests',
          '$',
        ],
        rows: costs.map(({ route, by, consumption }) => [
          route,
          by,
          consumption.reads,
          consumption.writes,
          consumption.deletes,
          consumption.refused,
          consumption.messages,
          consumption.cpuSeconds,
          consumption.instanceSeconds,
          consumption.requests,
          priceOf(consumption).toFixed(2),
        ]),
      },
    ],
    bars: [],
    notes: [
      `List prices of ${LIST_PRICES.date} (Firestore in Oregon, Pub/Sub, Cloud Run tier 1, Cloud Logging) without free ` +
        'quotas, storage and traffic. Upserts are sent in full batches. A refused write is priced as a read, which is an ' +
        'assumption. Instance time is how long an answer took on this machine, waiting included: it is what is paid for, ' +
        `with one CPU and ${INSTANCE_GIB} GiB. Requests that share an instance share it, so that it is at most this, and ` +
        'at least the CPU. Of a deletion it is that of the request alone: the consumer’s was not measured, but its CPU.',
      `Not measured: the log of a request, taken as ${REQUEST_LOG_BYTES} bytes; with a domain the load balancer writes ` +
        'as much again.',
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

/** One request a record, its message, and what the consumer does with it. */
async function measureDeletions(stack: BenchStack): Promise<RouteCost> {
  const proxies = await startProxies(stack);
  const port = await requireFreePort({ host: '127.0.0.1', port: 0, field: 'any' });
  await createTopology(stack.pubsub, stack.config.topics, `http://127.0.0.1:${port}`);
  const customers = await stack.startFunction('customers', { environment: proxies.environment });
  const consumer = await stack.startFunction('deletion-consumer', { environment: proxies.environment, port });
  const key = await stack.createKey();
  const { tenantId } = await stack.createTenant();
  const target = new UpsertTarget(stack, customers, key, functionPath);
  await target.send('customers', tenantId, Buffer.from(JSON.stringify(sampleRecords('customers', 2 * DELETIONS))));

  const deleteFrom = async (first: number) => {
    let wallMs = 0;
    for (let number = first; number < first + DELETIONS; number += 1) {
      wallMs += await call({
        port: customers.port,
        method: 'DELETE',
        path: `/${tenantId}?customerId=C-${number}`,
        key,
      });
    }
    const { store, deadline } = stack.operator;
    while ((await store.count(deletionsPath(tenantId), deadline())) > 0) await sleep(POLL_MS);
    return wallMs;
  };
  await deleteFrom(0); // warms up
  await proxies.take();
  const before = await usedBy(customers, consumer);
  const wallMs = await deleteFrom(DELETIONS);
  const { calls, publishes } = await proxies.take();
  const cpuSeconds = ((await usedBy(customers, consumer)) - before) / 1000;
  proxies.stop();
  // Each message is published once and pushed once, and the push is a request, too.
  const consumption = {
    ...calls,
    messages: 2 * publishes,
    cpuSeconds,
    instanceSeconds: wallMs / 1000,
    requests: DELETIONS + publishes,
  };
  return { route: 'DELETE, customers', by: 'service', consumption: ofAMillion(consumption, DELETIONS) };
}

async function measureTransfer(stack: BenchStack): Promise<RouteCost> {
  const proxies = await startProxies(stack);
  const transfers = await openTransferRuns(stack);
  try {
    const file = transfers.writeFile('ndjson', TRANSFER_BYTES, 0);
    const { cpuMs, elapsedMs } = await transfers.run(file, proxies.environment);
    const { calls, publishes } = await proxies.take();
    // The trigger is published by the benchmark itself and only pushed here.
    const messages = 2 * publishes + 1;
    const consumption = {
      ...calls,
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

/** Proxies before both emulators, which hold nothing back: here only what is called counts, not in which order. */
async function startProxies(stack: BenchStack) {
  const { firestore = '', pubsub = '' } = stack.config.emulators;
  const firestoreProxy = await CountingProxy.start(firestore, firestoreCallReader(stack.firestore.protocol), 0);
  const pubsubProxy = await CountingProxy.start(pubsub, () => NOTHING, 0);
  return {
    environment: { FIRESTORE_EMULATOR_HOST: firestoreProxy.address, PUBSUB_EMULATOR_HOST: pubsubProxy.address },
    async take() {
      const published = (await pubsubProxy.settle()).filter(({ method }) => method === 'Publish');
      return { calls: summarizeCalls(await firestoreProxy.settle()), publishes: published.length };
    },
    stop() {
      firestoreProxy.stop();
      pubsubProxy.stop();
    },
  };
}

async function usedBy(...processes: readonly MeasuredProcess[]): Promise<number> {
  const used = await Promise.all(processes.map((measured) => measured.usage()));
  return used.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
}

/** From the consumption of some records to that of a million. */
function ofAMillion(
  { reads, writes, deletes, refused, messages, cpuSeconds, instanceSeconds, requests }: Consumption,
  records: number,
): Consumption {
  const factor = MILLION / records;
  return {
    reads: reads * factor,
    writes: writes * factor,
    deletes: deletes * factor,
    refused: refused * factor,
    messages: messages * factor,
    cpuSeconds: cpuSeconds * factor,
    instanceSeconds: instanceSeconds * factor,
    requests: requests * factor,
  };
}
