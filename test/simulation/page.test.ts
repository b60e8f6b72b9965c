/** docs/scale.md shows what the program says. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tableOf } from '../bench/report';
import { PAGE_SEED, PAGE_TENANTS, pageTables } from './page';
import { withTables } from './report';

const page = readFileSync(join(__dirname, '../../docs/scale.md'), 'utf8');

/** The first cells of each row of a table: what is told, and of the fewest tenants. */
function firstCells(table: string, cells: number): string[] {
  const rows = table.split('\n').filter((line) => line.startsWith('| '));
  return rows.map((row) => row.split(' | ').slice(0, cells).join(' | ').replace(/ \|$/, '')).sort();
}

const shown = (name: string) =>
  new RegExp(`<!-- simulated: ${name} -->\\n([^]*?)<!-- simulated end -->`).exec(page)?.[1] ?? '';

it('shows the figures that `npm run simulate -- --write docs/scale.md` writes: run it after a change (R-399)', async () => {
  const [fewest] = PAGE_TENANTS;
  const tables = await pageTables([fewest!], PAGE_SEED);
  expect([...page.matchAll(/<!-- simulated: (\w+) -->/g)].map(([, name]) => name).sort()).toEqual(
    [...tables.keys()].sort(),
  );
  for (const [name, table] of tables) {
    const cells = name === 'spread' ? 3 : 2;
    expect(firstCells(shown(name), cells)).toEqual(firstCells(tableOf(table), cells));
  }
});

it('shows what every number of tenants comes to', () => {
  expect(firstCells(shown('load'), 4)).toContain(
    `| tenants | ${PAGE_TENANTS.map((n) => n.toLocaleString('en')).join(' | ')}`,
  );
});

it('writes each table into its place, and fails where there is none', () => {
  const table = { title: '', columns: ['a'], rows: [['$1 of b']] };
  const before = 'x\n<!-- simulated: one -->\nold\n<!-- simulated end -->\ny';
  const after = withTables(before, new Map([['one', table]]));
  expect(after).toBe('x\n<!-- simulated: one -->\n\n| a |\n| --- |\n| $1 of b |\n\n<!-- simulated end -->\ny');
  expect(() => withTables(before, new Map([['two', table]]))).toThrow('no place for the table two');
});
