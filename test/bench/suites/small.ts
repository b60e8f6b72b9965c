/**
 * Upserts of one record, as many as a number of connections can send one after the other; the service and the peer in
 * turn.
 */
import { Agent } from 'node:http';
import type { BenchStack } from '../bench-stack';
import { withBenchStack } from '../bench-stack';
import { call, toBody } from '../http-client';
import type { MeasuredProcess } from '../measured-process';
import { sampleRecords } from '../sample-records';
import { median, pairedRatios, percentile } from '../statistics';
import type { Suite } from '../suite';
import { functionPath, peerPath } from '../upsert-scenarios';

const CONNECTIONS = [1, 10, 50];
const SECONDS = 3;
const QUICK_SECONDS = 0.5;
/** Each is a series of some thousand requests, so that few rounds are enough. */
const MOST_ROUNDS = 5;
const WARM_UP_SECONDS = 2;

interface Load {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMsPerRequest: number;
}

interface LoadSamples {
  readonly connections: number;
  readonly service: Load[];
  readonly peer: Load[];
}

export const measureSmall: Suite = ({ rounds, quick, progress }) =>
  withBenchStack(async (stack) => {
    const service = await stack.startFunction('customers');
    const peer = await stack.startPeer('off');
    const seconds = quick ? QUICK_SECONDS : SECONDS;
    for (const [server, path] of [
      [service, functionPath],
      [peer, peerPath],
    ] as const) {
      await measureLoad(stack, server, path, 10, quick ? QUICK_SECONDS : WARM_UP_SECONDS);
    }
    const measured: LoadSamples[] = [];
    for (const connections of CONNECTIONS) {
      progress(`small: ${connections} connections`);
      const samples: LoadSamples = { connections, service: [], peer: [] };
      for (let round = 0; round < Math.min(rounds, MOST_ROUNDS); round += 1) {
        samples.service.push(await measureLoad(stack, service, functionPath, connections, seconds));
        samples.peer.push(await measureLoad(stack, peer, peerPath, connections, seconds));
      }
      measured.push(samples);
    }
    return {
      suite: 'small upserts',
      tables: [
        {
          title: 'One customer a request',
          columns: ['connections', 'by', 'requests/s', 'p50 ms', 'p99 ms', 'CPU ms a request', '× as many as the peer'],
          rows: measured.flatMap(({ connections, service: ours, peer: theirs }) => [
            [connections, 'service', ...middle(ours), pairedRatios(rates(ours), rates(theirs)).median],
            [connections, 'peer', ...middle(theirs), 1],
          ]),
        },
      ],
      bars: [],
      notes: [
        'The client, the server and the emulator share the machine: more ' +
          'connections show how requests wait, not what the platform can do.',
      ],
      samples: measured,
    };
  });

/** A new key and a new tenant each time: a document that is written often makes the emulator slow. */
async function measureLoad(
  stack: BenchStack,
  server: MeasuredProcess,
  pathOf: typeof peerPath,
  connections: number,
  seconds: number,
): Promise<Load> {
  const key = await stack.createKey();
  const path = pathOf('customers', (await stack.createTenant()).tenantId);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const times: number[] = [];
  let sent = 0;
  const before = await server.usage();
  const startMs = performance.now();
  const sendUntilEnd = async () => {
    while (performance.now() - startMs < seconds * 1000) {
      sent += 1;
      const body = toBody(sampleRecords('customers', 1, sent));
      times.push(await call({ port: server.port, path, key, body, agent }));
    }
  };
  await Promise.all(Array.from({ length: connections }, sendUntilEnd));
  const elapsedSeconds = (performance.now() - startMs) / 1000;
  const after = await server.usage();
  agent.destroy();
  return {
    requestsPerSecond: times.length / elapsedSeconds,
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
    cpuMsPerRequest: (after.cpuMs - before.cpuMs) / times.length,
  };
}

function rates(loads: readonly Load[]): number[] {
  return loads.map(({ requestsPerSecond }) => requestsPerSecond);
}

function middle(loads: readonly Load[]): number[] {
  return [
    median(rates(loads)),
    median(loads.map(({ p50Ms }) => p50Ms)),
    median(loads.map(({ p99Ms }) => p99Ms)),
    median(loads.map(({ cpuMsPerRequest }) => cpuMsPerRequest)),
  ];
}
