/**
 * Promise: a transfer is exact after any crash. Here: the process is killed right before and right after each of its
 * writes to the database, from the trigger to the end of a replay; one run for each kill (D-55).
 */
import { inParallel } from '../../../shared/platform/async/in-parallel';
import { FAULTS_SEED, ofTier, report } from '../../faults/tier';
import { SeededRandom } from '../../support/seeded-random';
import { useTransferLab } from '../../support/transfer-lab';
import type { CrashOutcome, CrashScenario } from './run-with-kill';
import { runWithKill } from './run-with-kill';
import type { FileSpec } from './exported-shop';
import { exportShop } from './exported-shop';
import type { KillPoint } from './killing-store';
import type { Flaw } from './with-planted-flaw';
import { StepWorkers } from './step-workers';
import { WorkerProcesses } from '../../support/worker-processes';

const AT_ONCE = 2;

const lab = useTransferLab();
let processes: WorkerProcesses;
let idle: StepWorkers[] = [];
beforeEach(() => {
  idle = [];
  const { reportsBucket, emulators } = lab().config;
  const environment = { REPORTS_BUCKET: reportsBucket, STORAGE_EMULATOR_HOST: emulators.storage };
  processes = new WorkerProcesses('test/transfers/crash/step-worker.ts', environment);
});
afterEach(() => processes.stop());

const file = (path: string, slices: number): FileSpec => {
  const [, folder, kind, format, gzip] = /^(.+\/)(\w+)\.(\w+)(\.gz)?$/.exec(path)!;
  return { folder, kind, format, isGzip: gzip !== undefined, slices } as FileSpec;
};
const ONE_FILE = exportShop([file('crm/customers.csv.gz', 1)]);
const EVERY_FORMAT = exportShop([
  file('crm/customers.ndjson.gz', 2),
  file('crm/customers.csv', 2),
  file('shop/products.json', 2),
  file('shop/products.csv.gz', 1),
  file('shop/orders.ndjson', 1),
  file('shop/orders.csv', 2),
]);

/** The run, the file, the page, and that the run is planned. */
const WRITES_BEFORE_FILES = 4;
/** What is found: the rows that came with the checkpoint are counted again, or lost. */
const NOTICED: Readonly<Record<Flaw, RegExp>> = {
  'progress after data': /^run: .*"stale":1/,
  'progress before data': /^records: /,
};

interface Scenario extends CrashScenario {
  readonly title: string;
  /** Writes that the code is known to make at least: fewer would mean that some are not counted. */
  readonly leastWrites: number;
}

const SCENARIOS: readonly Scenario[] = ofTier(
  [{ title: 'one file', shop: ONE_FILE, tenant: {}, stepSeconds: 240, leastWrites: 13 }],
  [
    { title: 'a step for each slice', shop: EVERY_FORMAT, tenant: {}, stepSeconds: 0, leastWrites: 46 },
    {
      title: 'a step for each file, products by Sku',
      shop: EVERY_FORMAT,
      tenant: { productIdentifier: 'sku' },
      stepSeconds: 240,
      leastWrites: 46,
    },
  ],
);

/** Runs a scenario once for each kill, several at once. */
async function runEach(
  scenario: CrashScenario,
  kills: readonly (KillPoint | undefined)[],
): Promise<readonly CrashOutcome[]> {
  const outcomes: CrashOutcome[] = [];
  await inParallel(kills.entries(), AT_ONCE, async ([at, killAt]) => {
    const workers = idle.pop() ?? new StepWorkers(processes);
    const random = new SeededRandom(`redelivery ${FAULTS_SEED} ${at}`);
    outcomes[at] = await runWithKill(lab(), workers, scenario, random, killAt);
    idle.push(workers);
  });
  return outcomes;
}

/** The small tier kills once between two writes, the full one on both sides of what happens there beside. */
const SIDES = ofTier(['after'] as const, ['before', 'after'] as const);

it.each(SCENARIOS)(
  'loses nothing and counts nothing twice, whichever write the process is killed at (D-55, R-27): $title',
  async ({ title, leastWrites, ...scenario }) => {
    const [undisturbed] = await runEach(scenario, [undefined]);
    expect(undisturbed).toMatchObject({ wasKilled: false, wrong: [] });
    const { writes } = undisturbed!;
    expect(writes).toBeGreaterThanOrEqual(leastWrites);

    const writeNumbers = Array.from({ length: writes }, (_, index) => index + 1);
    const kills = writeNumbers.flatMap((write) => SIDES.map((when): KillPoint => ({ write, when })));
    const outcomes = await runEach(scenario, kills);
    const wrong = kills.flatMap(({ write, when }, index) => {
      const { wasKilled, wrong: differences } = outcomes[index]!;
      const found = wasKilled ? differences : ['the process was not killed'];
      return found.map((text) => `${when} write ${write}: ${text}`);
    });
    report(`a transfer is exact after a kill at any write, ${title}`, kills.length, wrong.length);
    expect(wrong).toEqual([]);
  },
);

it.each<Flaw>(ofTier(['progress after data'], ['progress after data', 'progress before data']))(
  'notices a checkpoint that is committed apart from its data: %s',
  async (flaw) => {
    const scenario: CrashScenario = { shop: ONE_FILE, tenant: {}, stepSeconds: 240, flaw };
    const [undisturbed] = await runEach(scenario, [undefined]);
    expect(undisturbed).toMatchObject({ wrong: [] }); // what nobody interrupts hides it
    const noticed: (readonly string[])[] = [];
    for (let write = WRITES_BEFORE_FILES; write <= undisturbed!.writes && noticed.length === 0; write += 1) {
      const [outcome] = await runEach(scenario, [{ write, when: 'after' }]);
      if (outcome!.wrong.length > 0) noticed.push(outcome!.wrong);
    }
    expect(noticed).toEqual([expect.arrayContaining([expect.stringMatching(NOTICED[flaw])])]);
  },
);
