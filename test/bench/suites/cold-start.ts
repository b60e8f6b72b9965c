/**
 * From the start of a process to its first 200, of each HTTP function against the framework's hello world,
 * alternately.
 */
import { helloFolder } from '../artifacts';
import type { BenchStack } from '../bench-stack';
import { withBenchStack } from '../bench-stack';
import { call, toBody } from '../http-client';
import { sampleRecords } from '../sample-records';
import type { RatioSummary } from '../statistics';
import { median, pairedRatios } from '../statistics';
import type { Suite } from '../suite';

interface FirstRequest {
  readonly path: string;
  readonly body: Buffer;
}

const FUNCTIONS = ['customers', 'products', 'orders', 'ingestion'] as const;
type FunctionName = (typeof FUNCTIONS)[number];

interface FunctionSamples {
  readonly name: FunctionName;
  readonly functionMs: number[];
  readonly helloMs: number[];
}

export const measureColdStart: Suite = ({ rounds, progress }) =>
  withBenchStack(async (stack) => {
    await stack.pubsub.createTopic(stack.config.topics.transfers);
    const hello = () => measureStart(stack, 'hello', helloFolder());
    // Once each uncounted: the file system then has their files in memory, as an image on the platform has.
    await hello();
    const measured: FunctionSamples[] = [];
    for (const name of FUNCTIONS) {
      progress(`cold-start: ${name}`);
      const samples: FunctionSamples = { name, functionMs: [], helloMs: [] };
      await measureStart(stack, name);
      for (let round = 0; round < rounds; round += 1) {
        samples.functionMs.push(await measureStart(stack, name));
        samples.helloMs.push(await hello());
      }
      measured.push(samples);
    }
    const ratios = measured.map(({ name, functionMs, helloMs }) => ({
      name,
      functionMs: median(functionMs),
      helloMs: median(helloMs),
      ratio: pairedRatios(functionMs, helloMs),
    }));
    return {
      suite: 'cold start',
      tables: [
        {
          title: 'Process start to first 200',
          columns: ['function', 'ms', 'hello world ms', '× hello world', 'smallest', 'largest'],
          rows: ratios.map(({ name, functionMs, helloMs, ratio }) => [name, functionMs, helloMs, ...spread(ratio)]),
        },
      ],
      bars: ratios.map(({ name, ratio }) => ({
        name: `${name}: × hello world`,
        value: ratio.median,
        limit: 2,
        must: 'stay at or below',
      })),
      notes: [
        'The first request is an upsert of one record, of `ingestion` the registration of a historical transfer, ' +
          'with a new key and a new tenant.',
      ],
      samples: measured,
    };
  });

async function measureStart(stack: BenchStack, name: FunctionName | 'hello', folder?: string): Promise<number> {
  const { path, body } = await firstRequest(stack, name);
  const key = await stack.createKey();
  const startMs = performance.now();
  const started = await stack.startFunction(name, { probe: false, ...(folder !== undefined && { folder }) });
  await call({ port: started.port, path, key, body });
  const elapsedMs = performance.now() - startMs;
  await started.stop();
  return elapsedMs;
}

async function firstRequest(stack: BenchStack, name: FunctionName | 'hello'): Promise<FirstRequest> {
  const { tenantId } = await stack.createTenant();
  switch (name) {
    case 'hello':
      return { path: '/', body: toBody([]) };
    case 'ingestion': {
      const options = { TenantId: tenantId, BucketName: `bucket-${tenantId}` };
      const path = '/google-cloud-storage/register/historical-transfer';
      return { path, body: Buffer.from(JSON.stringify(options)) };
    }
    default:
      return { path: `/${tenantId}`, body: toBody(sampleRecords(name, 1)) };
  }
}

function spread({ median: middle, min, max }: RatioSummary): [number, number, number] {
  return [middle, min, max];
}
