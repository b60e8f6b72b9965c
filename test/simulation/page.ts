/** The simulations that docs/scale.md shows. */
import { DEFAULT_TRANSFERS } from '../../shared/config';
import { START_SPREAD_MINUTES } from '../../shared/limits/transfers';
import type { Table } from '../bench/suite';
import type { HandingOut } from './model/transfers';
import { tablesOf } from './report';
import type { SimulationResult } from './simulation';
import { simulate } from './simulation';

/** The numbers of tenants on the page: up to 1 billion records a day. */
export const PAGE_TENANTS = [1_000, 10_000, 100_000];

export const PAGE_SEED = 'scale';

/** As the service begins runs, and hands out their files. */
export const SPREAD: HandingOut = {
  spreadMinutes: START_SPREAD_MINUTES,
  filesOfTenant: DEFAULT_TRANSFERS.tenantConcurrency,
};

/** What it is compared with: all runs of a full hour begin at once. */
export const AT_ONCE: HandingOut = { spreadMinutes: 0, filesOfTenant: DEFAULT_TRANSFERS.tenantConcurrency };

const NIGHT_HOURS = 2;
const PEAK_SECONDS = 120;

/** Every table of the page, for these numbers of tenants. */
export async function pageTables(
  tenants: readonly number[],
  seed: string,
  progress: (message: string) => void = () => undefined,
): Promise<ReadonlyMap<string, Table>> {
  const results: SimulationResult[] = [];
  for (const number of tenants) {
    progress(`${number.toLocaleString('en')} tenants`);
    const options = { tenants: number, seed, hours: NIGHT_HOURS, peakSeconds: PEAK_SECONDS };
    results.push(await simulate({ ...options, handingOut: SPREAD, other: AT_ONCE }));
  }
  return tablesOf(results);
}
