/**
 * `npm run simulate`: what saturates first with ever more tenants, what to change, and the bill, by simulation. Nothing
 * is deployed or started; README.md here says what is modelled, and what is not.
 */
import { Command, InvalidArgumentError } from 'commander';
import { readFileSync, writeFileSync } from 'node:fs';
import { tableOf } from '../bench/report';
import { PAGE_SEED, PAGE_TENANTS, pageTables } from './page';
import { withTables } from './report';

interface Options {
  readonly tenants: readonly number[];
  readonly seed: string;
  readonly write?: string;
}

new Command('npm run simulate --')
  .description(
    'Simulates a night and a peak of so many tenants, and prints what saturates, what to change and the bill.',
  )
  .option('--tenants <numbers>', 'comma-separated', parseNumbers, PAGE_TENANTS)
  .option('--seed <text>', 'another seed draws other tenants and other latencies', PAGE_SEED)
  .option('--write <file>', 'also writes the tables into their places in this page, which is docs/scale.md')
  .action(run)
  .parseAsync()
  .catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });

async function run({ tenants, seed, write }: Options): Promise<void> {
  const tables = await pageTables(tenants, seed, (message) => process.stderr.write(`${message}\n`));
  for (const [name, table] of tables) process.stdout.write(`#### ${name}\n\n${tableOf(table)}\n\n`);
  if (write !== undefined) writeFileSync(write, withTables(readFileSync(write, 'utf8'), tables));
}

function parseNumbers(text: string): number[] {
  const numbers = text.split(',').map(Number);
  if (numbers.every((number) => Number.isSafeInteger(number) && number >= 1)) return numbers;
  throw new InvalidArgumentError('Give whole numbers of at least 1, with commas between them.');
}
