/** The simulations that docs/scale.md shows. */
import type { Table } from '../bench/suite';
import type { HandingOut } from './model/transfers';
import { tablesOf } from './report';
import type { SimulationResult } from './simulation';
import { simulate } from './simulation';

/** The numbers of tenants on the page: up to 1 billion records a day. */
export const PAGE_TENANTS = [1_000, 10_000, 100_000];

export const PAGE_SEED = 'scale';

/** As the service hands out files now: at once, as many as there are. */
export const AT_ONCE: HandingOut = { spreadMinutes: 0, filesOfTenant: Infinity };

/** What it is compared with. */
export const SPREAD: HandingOut = { spreadMinutes: 10, filesOfTenant: 8 };

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
    results.push(await simulate({ ...options, handingOut: AT_ONCE, other: SPREAD }));
  }
  return tablesOf(results);
}
