/** The model reads its figures where they are kept, and says where it finds them no more. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deployedFunctions as builtFunctions } from '../../../functions/build/deployed-functions';
import { millionCost, processorTime } from './measured';
import { PUBLISHED } from './published';
import { waitSeconds, deployedFunctions, FUNCTION_NAMES, price, sweepSeconds } from './terraform';

const ROOT = join(__dirname, '../../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

const folders: string[] = [];
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true })));

/** A copy of terraform/ with other files. */
function aFolder(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'terraform-'));
  folders.push(folder);
  cpSync(join(ROOT, 'terraform'), folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

it('reads what Terraform deploys (R-398)', () => {
  expect([...FUNCTION_NAMES].sort()).toEqual(builtFunctions(ROOT));
  const functions = deployedFunctions();
  const cpus = Object.values(functions).reduce((sum, { maxInstances, cpu }) => sum + maxInstances * cpu, 0);
  const counted = /output\.cpus_at_most == (\d+)/.exec(read('terraform/tests/functions.tftest.hcl'))?.[1];
  expect(cpus).toBe(Number(counted));
  expect(waitSeconds('transfer-runner')).toBeGreaterThan(waitSeconds('deletion-consumer'));
});

it('follows a change of what Terraform deploys', () => {
  const functions = read('terraform/functions.tf')
    .replace('max_instances   = 20', 'max_instances   = 77')
    .replace('concurrency, null), 4)', 'concurrency, null), 9)')
    .replace('max_instances = 3', 'max_instances = 8')
    .replace('wait_seconds = 3600', 'wait_seconds = 60');
  const messaging = read('terraform/messaging.tf').replace('*/5 * * * *', '*/2 * * * *');
  const changed = aFolder({ 'functions.tf': functions, 'messaging.tf': messaging });
  const { customers, orders, console: ofConsole, 'transfer-runner': runner } = deployedFunctions(changed);
  expect([customers.maxInstances, orders.maxInstances, ofConsole.maxInstances]).toEqual([77, 77, 8]);
  expect([runner.concurrency, ofConsole.concurrency, ofConsole.gib]).toEqual([9, 40, 1]);
  expect(waitSeconds('transfer-runner', changed)).toBe(60);
  expect(sweepSeconds(changed)).toBe(120);
  expect(price('Cloud Scheduler', read('terraform/README.md').replace('| job | $0.10', '| job | $0.30'))).toBe(0.3);
  const unsaid = aFolder({ 'functions.tf': functions.replaceAll('max_instances', 'most') });
  expect(() => deployedFunctions(unsaid)).toThrow('does not say max_instances of customers');
  expect(() => price('Cloud Moon')).toThrow('the price of Cloud Moon');
});

it('reads what was measured (R-398)', () => {
  const page = read('docs/speed.md')
    .replace(/\(10 records: (\d+) bytes and \d+ µs each; 1,000: (\d+) bytes and \d+ µs\)/, (text) =>
      text.replace(/and \d+ µs each/, 'and 400 µs each').replace(/and \d+ µs\)/, 'and 14 µs)'),
    )
    .replace(/^(\| NDJSON, 10 MiB, ordinary rows \|(?:[^|]*\|){3}) \d+ \|/m, '$1 99 |')
    .replace(/^(\| its CPU in both functions, .*\| \*\*)[\d.]+ ms/m, '$15.5 ms')
    .replace(/^\| customers \| [\d,]+ \|/m, '| customers | 5,000 |');
  const { requestMs, recordMs, rowMs, deletionMs } = processorTime(page);
  expect(10 * recordMs + requestMs).toBeCloseTo(10 * 0.4, 5);
  expect(1_000 * recordMs + requestMs).toBeCloseTo(1_000 * 0.014, 5);
  expect([rowMs, deletionMs]).toEqual([0.099, 5.5]);
  expect(millionCost('customers', page).reads).toBe(5_000);
  expect(Object.values(processorTime()).every((ms) => ms > 0)).toBe(true);
  expect(() => processorTime('')).toThrow('docs/speed.md does not say');
  expect(() => millionCost('moons')).toThrow('no costs of moons');
});

it('names the source of what is published', () => {
  for (const { value, source } of Object.values(PUBLISHED)) {
    expect(value).toBeGreaterThan(0);
    expect(source).toMatch(/^https:\/\/(docs\.)?cloud\.google\.com\//);
  }
});
