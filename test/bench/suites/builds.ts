/** This build of the functions beside that of another checkout, alternately: what a change is worth. */
import { functionFolder } from '../artifacts';
import type { BenchStack } from '../bench-stack';
import { withBenchStack } from '../bench-stack';
import type { Profile, ProfiledServer } from '../profiles/profile';
import { withProfile } from '../profiles/profile';
import { describeRatio, median, pairedRatios } from '../statistics';
import type { SuiteOptions, SuiteResult } from '../suite';
import type { TransferFile, TransferRuns } from '../transfer-runs';
import { openTransferRuns } from '../transfer-runs';
import type { UpsertScenario } from '../upsert-scenarios';
import { functionPath, UPSERT_SCENARIOS, UpsertTarget } from '../upsert-scenarios';

export interface BuildsOptions extends SuiteOptions {
  /** The other checkout, in which `npm run build` has been run. */
  readonly against: string;
  readonly profile: Profile;
}

/** Requests or files before the first that counts. */
const WARM_UP = 20;
const QUICK_WARM_UP = 3;
/** Requests of one side before the other's turn; a round counts their mean. */
const IN_A_ROW = 3;
const FILE_BYTES = 10 * 1024 * 1024;
const QUICK_FILE_BYTES = 1024 * 1024;

interface Sample {
  readonly wallMs: number;
  readonly cpuMs: number;
}

interface Comparison {
  readonly name: string;
  readonly here: Sample[];
  readonly other: Sample[];
}

export async function measureBuilds(options: BuildsOptions): Promise<SuiteResult> {
  const measured: Comparison[] = [];
  for (const scenario of UPSERT_SCENARIOS) {
    options.progress(`builds: ${scenario.name}`);
    measured.push(await withBenchStack((stack) => compareRequests(stack, scenario, options)));
  }
  options.progress('builds: a file');
  measured.push(await compareFiles(options));
  return {
    suite: 'builds',
    tables: [
      {
        title: `This build beside the other one, profile ${options.profile}`,
        columns: ['what', 'ms', 'other ms', 'time ×', 'CPU ms', 'other CPU ms', 'CPU ×'],
        rows: measured.map(({ name, here, other }) => [
          name,
          median(times(here, 'wallMs')),
          median(times(other, 'wallMs')),
          describeRatio(pairedRatios(times(here, 'wallMs'), times(other, 'wallMs'))),
          median(times(here, 'cpuMs')),
          median(times(other, 'cpuMs')),
          describeRatio(pairedRatios(times(here, 'cpuMs'), times(other, 'cpuMs'))),
        ]),
      },
    ],
    bars: [],
    notes: [
      'Ratios are medians of the quotients of each round, in brackets the smallest and the largest: below 1, this build is ' +
        `better. A round sends ${IN_A_ROW} requests in a row to each side, or one file; who comes first alternates.`,
    ],
    samples: measured,
  };
}

async function compareRequests(
  stack: BenchStack,
  scenario: UpsertScenario,
  { rounds, quick, against, profile }: BuildsOptions,
): Promise<Comparison> {
  return withProfile(profile, stack, undefined, async (server, restartLatencies) => {
    const key = await stack.createKey();
    const open = async (project?: string) => {
      const folder = functionFolder(scenario.kind, project);
      const target = new UpsertTarget(
        stack,
        await stack.startFunction(scenario.kind, { ...server, folder }),
        key,
        functionPath,
      );
      await target.warmUp(scenario, quick ? QUICK_WARM_UP : WARM_UP);
      return target;
    };
    const [here, other] = [await open(), await open(against)];
    const measure = (target: UpsertTarget) => (round: number) => {
      restartLatencies(round);
      return meanOf(target, scenario);
    };
    return compare(scenario.name, rounds, measure(here), measure(other));
  });
}

async function meanOf(target: UpsertTarget, scenario: UpsertScenario): Promise<Sample> {
  const samples: Sample[] = [];
  for (let time = 0; time < IN_A_ROW; time += 1) samples.push(await target.measure(scenario));
  const mean = (of: keyof Sample) => times(samples, of).reduce((sum, ms) => sum + ms, 0) / samples.length;
  return { wallMs: mean('wallMs'), cpuMs: mean('cpuMs') };
}

/** Each file has emulators of its own: they become slow by what they hold. */
function compareFiles({ rounds, quick, against, profile }: BuildsOptions): Promise<Comparison> {
  const bytes = quick ? QUICK_FILE_BYTES : FILE_BYTES;
  const measure = (project?: string) => (round: number) =>
    withBenchStack(async (stack) => {
      const transfers = await openTransferRuns(stack);
      try {
        return await withProfile(profile, stack, transfers.storageAddress, async (server, restartLatencies) => {
          const folder = functionFolder('transfer-runner', project);
          await run(transfers, transfers.writeFile('ndjson', QUICK_FILE_BYTES, 0), { ...server, folder });
          restartLatencies(round);
          return run(transfers, transfers.writeFile('ndjson', bytes, 0), { ...server, folder });
        });
      } finally {
        await transfers.stop();
      }
    });
  return compare('a file of customers, NDJSON', rounds, measure(), measure(against));
}

async function run(
  transfers: TransferRuns,
  file: TransferFile,
  server: ProfiledServer & { readonly folder: string },
): Promise<Sample> {
  const { elapsedMs, cpuMs } = await transfers.run(file, server);
  return { wallMs: elapsedMs, cpuMs };
}

async function compare(
  name: string,
  rounds: number,
  measureHere: (round: number) => Promise<Sample>,
  measureOther: (round: number) => Promise<Sample>,
): Promise<Comparison> {
  const comparison: Comparison = { name, here: [], other: [] };
  for (let round = 0; round < rounds; round += 1) {
    const here = async () => comparison.here.push(await measureHere(round));
    const other = async () => comparison.other.push(await measureOther(round));
    for (const measure of round % 2 === 0 ? [here, other] : [other, here]) await measure();
  }
  return comparison;
}

function times(samples: readonly Sample[], of: keyof Sample): number[] {
  return samples.map((sample) => sample[of]);
}
