/** The CPU of deletions that come one after the other, and that of the calls that they need, by turns. */
import { Agent } from 'node:http';
import { buildProgram } from '../artifacts';
import type { BenchStack } from '../bench-stack';
import { withBenchStack } from '../bench-stack';
import { call, toBody } from '../http-client';
import type { MeasuredProcess } from '../measured-process';
import { median } from '../statistics';
import type { SuiteOptions, Table } from '../suite';
import { withDeletionServers } from './deletion-servers';

const KIND = 'customers';
const ROUNDS = 20;
const EACH = 50;
/** One after the other they are slow to warm up: about as many requests as an instance takes in some minutes. */
const WARM_UP = 500;
/** About what the message of a deletion takes. */
const PUSHED = toBody([{ message: { messageId: '1', data: 'x'.repeat(300) } }]);

/** CPU in ms of each deletion, a figure for each round. */
export interface LoneSamples {
  readonly service: readonly number[];
  readonly calls: readonly number[];
}

/** Makes so many deletions, or only their calls. @returns the CPU that they took, in ms */
type Turn = (count: number) => Promise<number>;

export function measureLone({ quick, progress }: SuiteOptions): Promise<LoneSamples> {
  const rounds = quick ? 2 : ROUNDS;
  const warmUp = quick ? EACH : WARM_UP;
  progress(`deletions: ${rounds * EACH} one after the other, and their calls alone`);
  return withBenchStack((stack) =>
    withDeletionServers(stack, { kind: KIND }, async (servers) => {
      const tenant = await stack.createTenant();
      await servers.fill(tenant, warmUp + rounds * EACH, 0);
      let next = 0;
      const ofService: Turn = async (count) => {
        const before = await servers.cpuMs();
        for (let end = next + count; next < end; next += 1) {
          const { status, text } = await servers.delete(tenant, next);
          if (status !== 200) throw new Error(`A deletion was answered with ${status} ${text}`);
        }
        await servers.untilApplied(tenant);
        return (await servers.cpuMs()) - before;
      };
      const ofCalls = await startCalls(stack);
      const turns = [ofService, ofCalls];
      for (const turn of turns) await turn(warmUp);
      const samples = { service: [] as number[], calls: [] as number[] };
      for (let round = 0; round < rounds; round += 1) {
        samples.service.push((await ofService(EACH)) / EACH);
        samples.calls.push((await ofCalls(EACH)) / EACH);
      }
      return samples;
    }),
  );
}

async function startCalls(stack: BenchStack): Promise<Turn> {
  const folder = buildProgram('deletions/calls-alone.ts', 'calls-alone');
  const start = () => stack.startFunction('calls-alone', { folder });
  const [accepting, applying] = [await start(), await start()];
  const agent = new Agent({ keepAlive: true });
  const cpuMs = async () => {
    const used = await Promise.all([accepting.usage(), applying.usage()]);
    return used.reduce((sum, usage) => sum + usage.cpuMs, 0);
  };
  const send = ({ port }: MeasuredProcess, method: 'DELETE' | 'POST', body?: Buffer) =>
    call({ port, path: '/', key: 'calls-alone', method, agent, ...(body && { body }) });
  return async (count) => {
    const before = await cpuMs();
    for (let done = 0; done < count; done += 1) {
      await send(accepting, 'DELETE');
      await send(applying, 'POST', PUSHED);
    }
    return (await cpuMs()) - before;
  };
}

export function loneTable({ service, calls }: LoneSamples): Table {
  const row = (name: string, ms: readonly number[]) => [name, median(ms).toFixed(1), Math.min(...ms).toFixed(1)];
  return {
    title: 'CPU of a deletion that comes alone in both functions, in ms',
    columns: ['what', 'median of the rounds', 'least'],
    rows: [row('by the service', service), row('its calls by the same clients, made by nothing else', calls)],
  };
}
