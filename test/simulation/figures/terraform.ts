/** What terraform/ deploys, read from its own text. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(__dirname, '../../../terraform');

export interface DeployedFunction {
  readonly maxInstances: number;
  /** Requests that an instance works on at once. */
  readonly concurrency: number;
  readonly cpu: number;
  readonly gib: number;
}

export const FUNCTION_NAMES = [
  'customers',
  'products',
  'orders',
  'ingestion',
  'usage',
  'console',
  'docs',
  'deletion-consumer',
  'upload-consumer',
  'transfer-runner',
] as const;
export type FunctionName = (typeof FUNCTION_NAMES)[number];
export type Functions = Readonly<Record<FunctionName, DeployedFunction>>;

const read = (file: string) => readFileSync(join(FOLDER, file), 'utf8');

/** The functions as `functions.tf` has them by default. @throws Error where a row does not say what is looked for */
export function deployedFunctions(text = read('functions.tf')): Functions {
  const shared = blockAt(text, /^ {2}upserts = \{/m);
  const functionOf = (name: FunctionName): DeployedFunction => {
    const own = blockAt(text, new RegExp(`^ {4}${name} += .*\\{`, 'm'));
    const row = /merge\(local\.upserts/.test(own) ? `${own}\n${shared}` : own;
    const setting = (key: string) => settingOf(text, row, key, name);
    return {
      maxInstances: Number(setting('max_instances')),
      concurrency: Number(setting('concurrency')),
      cpu: Number(setting('cpu')),
      gib: gibOf(setting('memory')),
    };
  };
  return Object.fromEntries(FUNCTION_NAMES.map((name) => [name, functionOf(name)])) as Functions;
}

/** The age of an unacknowledged message of a function, in seconds, at which Terraform has an alert raised. */
export function waitSeconds(name: FunctionName, text = read('functions.tf')): number {
  const row = blockAt(text, new RegExp(`^ {4}${name} += .*\\{`, 'm'));
  return numberIn(/wait_seconds = (\d+)/.exec(row), `the alert of ${name}`);
}

/** How often the sweep of deletions begins, in seconds. */
export function sweepSeconds(text = read('messaging.tf')): number {
  return (
    60 * numberIn(/"deletion_sweep" \{[^}]*schedule += "\*\/(\d+) \* \* \* \*"/.exec(text), 'when the sweep begins')
  );
}

/** A price of the table *Prices* in `terraform/README.md`, in US dollars. @param start how its row begins */
export function price(start: string, text = read('README.md')): number {
  const [, prices = ''] = text.split(/^### (?:Prices|The bill)$/m);
  const row = prices.split('\n').find((line) => line.startsWith(`| ${start}`));
  return numberIn(/\$([\d.]+)/.exec(row ?? ''), `the price of ${start}`);
}

/** From the line where the pattern matches to the end of the block that begins there. */
function blockAt(text: string, start: RegExp): string {
  const match = start.exec(text);
  if (!match) throw new Error(`terraform/functions.tf has no ${start}.`);
  const indentation = /^ */.exec(match[0])?.[0] ?? '';
  const rest = text.slice(match.index);
  const end = rest.search(new RegExp(`^${indentation}\\}`, 'm'));
  const line = rest.slice(0, rest.indexOf('\n'));
  return line.includes('})') ? line : rest.slice(0, end);
}

function settingOf(text: string, row: string, key: string, name: string): string {
  const value = new RegExp(`\\b${key} += "?([\\w.-]+)`).exec(row)?.[1];
  if (value === undefined) throw new Error(`terraform/functions.tf does not say ${key} of ${name}.`);
  const local = /^local\.(\w+)$/.exec(value)?.[1];
  if (local === undefined) return value;
  return String(numberIn(new RegExp(`^ {2}${local} = coalesce\\(.*, (\\d+)\\)$`, 'm').exec(text), `local.${local}`));
}

function gibOf(memory: string): number {
  const amount = Number.parseFloat(memory);
  return memory.endsWith('Mi') ? amount / 1_024 : amount;
}

function numberIn(match: RegExpExecArray | null, what: string): number {
  if (match?.[1] === undefined) throw new Error(`terraform/ does not say ${what}.`);
  return Number(match[1]);
}
