/** Ten files of one tenant and kind at once, against ten files of ten tenants, with and without deletions beside. */
import { recordsPath } from '../../../shared/documents/paths';
import type { BenchStack } from '../bench-stack';
import { withBenchStack } from '../bench-stack';
import { pairedRatios } from '../statistics';
import { median } from '../statistics';
import type { BenchKind } from '../sample-records';
import type { Bar, SuiteOptions, Table } from '../suite';
import { callsOf, withDeletionServers } from './deletion-servers';
import type { BesideStream } from './deletion-stream';
import { besideDeletions, DELETIONS_PER_SECOND, prepareStream } from './deletion-stream';
import { runAtOnce, withTransferBuckets, writeFileSet } from './file-sets';
import type { CountedLoad } from './hot-documents';
import { refusedOf } from './request-load';
import type { SliceCommits } from './slice-commits';
import { sliceCommits } from './slice-commits';

/** Orders are found by their id alone, customers by either identifier: their rows have more to check. */
const KINDS = ['orders', 'customers'] as const;
const FILES = 10;
/** Of each file. */
const ROWS = 4_000;
const QUICK_ROWS = 1_200;
const WARM_UP_ROWS = 400;
/** Far from the numbers of the records that are deleted: all rows are new. */
const FIRST_ROW = 100_000;
const MOST_ROUNDS = 3;
/** For so long the deletions beside find a record each. */
const DELETED_SECONDS = 25;

interface Variant {
  readonly kind: (typeof KINDS)[number];
  readonly tenants: 1 | typeof FILES;
  readonly hasDeletions: boolean;
}

/** What is compared stands next to each other. */
const VARIANTS: readonly Variant[] = KINDS.flatMap((kind) =>
  [false, true].flatMap((hasDeletions) => ([1, FILES] as const).map((tenants) => ({ kind, tenants, hasDeletions }))),
);

interface FilesAtOnce {
  readonly rowsPerSecond: number;
  readonly deletions: number;
  readonly refused: number;
}

interface VariantSamples extends Variant {
  readonly rounds: FilesAtOnce[];
}

interface CountedVariant extends Variant {
  readonly commits: SliceCommits;
}

export interface FilesAtOnceSamples {
  readonly timed: readonly VariantSamples[];
  readonly counted: readonly CountedVariant[];
}

export async function measureFilesAtOnce(
  options: SuiteOptions,
): Promise<{ readonly samples: FilesAtOnceSamples; readonly loads: readonly CountedLoad[] }> {
  const { rounds, quick, progress } = options;
  const rows = quick ? QUICK_ROWS : ROWS;
  const timed = VARIANTS.map((variant) => ({ ...variant, rounds: [] as FilesAtOnce[] }));
  for (let round = 0; round < Math.min(rounds, MOST_ROUNDS); round += 1) {
    for (const variant of round % 2 === 0 ? timed : timed.toReversed()) {
      progress(`deletions: ${nameOf(variant)}, round ${round + 1}`);
      const { result: elapsedMs, deletions } = await readAtOnce(variant, rows, false);
      variant.rounds.push({
        rowsPerSecond: (FILES * rows * 1000) / elapsedMs,
        deletions: deletions.length,
        refused: refusedOf(deletions).length,
      });
    }
  }
  const counted: CountedVariant[] = [];
  const loads: CountedLoad[] = [];
  for (const variant of VARIANTS) {
    progress(`deletions: counting the commits of ${nameOf(variant)}`);
    const { calls, seconds } = await readAtOnce(variant, rows, true);
    counted.push({ ...variant, commits: sliceCommits(calls.runner.calls, isRecordOf(variant.kind)) });
    loads.push({ name: nameOf(variant), seconds, calls: callsOf(calls) });
  }
  return { samples: { timed, counted }, loads };
}

/** Reads the files on emulators of their own. */
function readAtOnce(variant: Variant, rows: number, isCounted: boolean): Promise<BesideStream<number>> {
  const { kind } = variant;
  return withTransferBuckets((buckets) => {
    const transfers = {
      ...buckets.environment,
      TRANSFER_CONCURRENCY: String(FILES),
      TRANSFER_TENANT_CONCURRENCY: String(FILES),
    };
    return withBenchStack((stack) =>
      withDeletionServers(stack, { kind, isCounted, transfers }, async (servers) => {
        await runAtOnce(stack, await toTransfers(stack, { ...variant, tenants: FILES }, WARM_UP_ROWS));
        const all = await toTransfers(stack, variant, rows);
        const [first] = all;
        // Of the same tenant or, where each file has its own or nothing is deleted beside, of one that has no files.
        const isSameTenant = variant.tenants === 1 && variant.hasDeletions;
        const deletedFrom = isSameTenant && first ? first.tenant : await stack.createTenant();
        await prepareStream(servers, deletedFrom, DELETED_SECONDS);
        return besideDeletions(servers, variant.hasDeletions ? deletedFrom : undefined, () => runAtOnce(stack, all));
      }),
    );

    async function toTransfers(stack: BenchStack, { tenants }: Variant, rowsOfFile: number) {
      const files = FILES / tenants;
      return Promise.all(
        Array.from({ length: tenants }, async (_, index) => {
          const first = FIRST_ROW + index * files * rowsOfFile;
          const set = writeFileSet(buckets, { kind, files, rows: rowsOfFile, first });
          return { tenant: await stack.createTenant(), set };
        }),
      );
    }
  });
}

function isRecordOf(kind: BenchKind): (path: string) => boolean {
  return (path) => path.startsWith(recordsPath(path.split('/')[1] ?? '', kind));
}

export function filesTable({ timed }: FilesAtOnceSamples): Table {
  return {
    title: `${FILES} files of one kind at once`,
    columns: ['files', 'rows/s in sum', '× ten tenants', 'deletions', 'of them refused'],
    rows: timed.map((variant) => [
      nameOf(variant),
      median(rates(variant)),
      shareOfTenTenants(timed, variant),
      median(variant.rounds.map(({ deletions }) => deletions)),
      variant.rounds.reduce((sum, { refused }) => sum + refused, 0),
    ]),
  };
}

export function commitTable({ counted }: FilesAtOnceSamples): Table {
  return {
    title: `Commits of these files`,
    columns: ['files', 'commits of slices', 'rows of one', 'aborted calls', 'in conflict'],
    rows: counted.map(({ commits, ...variant }) => [
      nameOf(variant),
      commits.stored,
      commits.meanRows,
      commits.aborted,
      commits.inConflict,
    ]),
  };
}

export function filesBars({ timed, counted }: FilesAtOnceSamples): Bar[] {
  return timed.flatMap((one): Bar[] => {
    if (one.tenants !== 1) return [];
    const [ofOne, ofTen] = counted.filter((variant) => isCompared(variant, one));
    if (!ofOne || !ofTen) return [];
    const name = nameOf(one);
    return [
      { name: `${name}: rows/s × ten tenants'`, value: shareOfTenTenants(timed, one), limit: 0.9, must: 'reach' },
      { name: `${name}: aborted calls`, value: ofOne.commits.aborted, limit: 0, must: 'stay at or below' },
      {
        name: `${name}: rows of a slice × ten tenants'`,
        value: ofOne.commits.meanRows / ofTen.commits.meanRows,
        limit: 1,
        must: 'reach',
      },
    ];
  });
}

function shareOfTenTenants(all: readonly VariantSamples[], variant: VariantSamples): number {
  const ten = all.find((other) => other.tenants === FILES && isCompared(other, variant));
  return pairedRatios(rates(variant), ten ? rates(ten) : []).median;
}

/** Whether two variants differ in whose the files are alone. */
function isCompared(one: Variant, other: Variant): boolean {
  return one.kind === other.kind && one.hasDeletions === other.hasDeletions;
}

function rates({ rounds }: VariantSamples): number[] {
  return rounds.map(({ rowsPerSecond }) => rowsPerSecond);
}

function nameOf({ kind, tenants, hasDeletions }: Variant): string {
  const whose = tenants === 1 ? 'of one tenant' : 'of ten tenants';
  return `ten files of ${kind} ${whose}${hasDeletions ? `, ${DELETIONS_PER_SECOND} deletions a second beside` : ''}`;
}
