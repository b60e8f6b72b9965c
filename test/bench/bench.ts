/**
 * `npm run bench`: how fast and how dear the service is on this machine, beside the least that is possible and a peer.
 */
import { Command, InvalidArgumentError, Option } from 'commander';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { dirname } from 'node:path';
import { StackError } from '../local/stack-error';
import type { BenchResult } from './report';
import { toMarkdown } from './report';
import type { Suite, SuiteResult } from './suite';
import type { Profile } from './profiles/profile';
import { leaveFunctionProcessor, PROFILES } from './profiles/profile';
import { measureBuilds } from './suites/builds';
import { measureClient } from './suites/client';
import { measureColdStart } from './suites/cold-start';
import { measureCost } from './suites/cost';
import { measureDeletions } from './suites/deletions';
import { measureFairness } from './suites/fairness';
import { measureGrowth } from './suites/growth';
import { measureSmall } from './suites/small';
import { measureTransfers } from './suites/transfers';
import { measureUpserts } from './suites/upserts';

/** In the order in which they run. */
const SUITES = new Map<string, Suite>([
  ['upserts', measureUpserts],
  ['cold-start', measureColdStart],
  ['transfers', measureTransfers],
  ['fairness', measureFairness],
  ['small', measureSmall],
  ['growth', measureGrowth],
  ['cost', measureCost],
  ['deletions', measureDeletions],
  ['client', measureClient],
]);

interface Options {
  readonly suite: readonly string[];
  readonly rounds?: number;
  readonly quick: boolean;
  readonly out: string;
  readonly markdown?: string;
  readonly against?: string;
  readonly profile: Profile;
}

const ROUNDS = 15;
const QUICK_ROUNDS = 2;

new Command('npm run bench --')
  .description(
    'Measures the built functions on fresh emulators; run "npm run build" first. All suites take 40 to 60 minutes with --rounds 5.',
  )
  .option('--suite <names>', `comma-separated: ${[...SUITES.keys()].join(', ')}`, parseSuites, [...SUITES.keys()])
  .option('--rounds <number>', `pairs of measurements of each kind (default: ${ROUNDS})`, parseRounds)
  .option('--quick', `small sizes and ${QUICK_ROUNDS} rounds, for trying out`, false)
  .option('--out <file>', 'where the result goes, as JSON', '.local/bench/result.json')
  .option('--markdown <file>', 'also writes the tables there; they are printed in any case')
  .option('--against <folder>', 'compares with the build of another checkout, in place of the suites')
  .addOption(
    new Option(
      '--profile <profile>',
      'of --against: cloud has the latencies of the real services, and a processor for the function',
    )
      .choices(PROFILES)
      .default('local'),
  )
  .addHelpText('after', '\nExit code: 0 measured, whether or not the bars are met; 1 could not be measured.')
  .action(run)
  .parseAsync()
  .then(
    () => process.exit(0),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
      process.exit(1);
    },
  );

async function run(options: Options): Promise<void> {
  const { suite, quick, rounds = quick ? QUICK_ROUNDS : ROUNDS, out, markdown, against, profile } = options;
  const startedMs = performance.now();
  const progress = (message: string) => {
    process.stderr.write(`${Math.round((performance.now() - startedMs) / 1000)} s  ${message}\n`);
  };
  if (profile === 'cloud' && against === undefined) throw new StackError('--profile cloud needs --against.');
  if (profile === 'cloud') leaveFunctionProcessor();
  const suites: SuiteResult[] = [];
  const measures: Suite[] =
    against === undefined
      ? [...SUITES].flatMap(([name, measure]) => (suite.includes(name) ? [measure] : []))
      : [(shared) => measureBuilds({ ...shared, against, profile })];
  for (const measure of measures) {
    suites.push(await measure({ rounds, quick, progress }));
    // After each one: a suite that fails later does not take with it what was measured.
    const result = toResult(rounds, quick, suites);
    write(out, `${JSON.stringify(result, null, 2)}\n`);
    if (markdown !== undefined) write(markdown, `${toMarkdown(result)}\n`);
  }
  progress('done');
  process.stdout.write(`${toMarkdown(toResult(rounds, quick, suites))}\n`);
}

function toResult(rounds: number, quick: boolean, suites: readonly SuiteResult[]): BenchResult {
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: {
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: cpus().length,
      memoryGiB: Math.round(totalmem() / 2 ** 30),
      node: process.version,
    },
    rounds,
    quick,
    suites,
  };
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function parseSuites(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !SUITES.has(name));
  if (unknown !== undefined) throw new InvalidArgumentError(`There is no suite "${unknown}".`);
  return names;
}

function parseRounds(text: string): number {
  const rounds = Number(text);
  if (Number.isInteger(rounds) && rounds >= 1 && rounds <= 1_000) return rounds;
  throw new InvalidArgumentError('It must be a whole number from 1 to 1000.');
}
