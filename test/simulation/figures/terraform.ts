/** What terraform/ deploys, read from its own files. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fieldOf } from '../../../functions/admin/doctor/subject';
import { readDeployment } from '../../../functions/admin/doctor/terraform/deployment';
import { toText } from '../../../functions/admin/doctor/terraform/functions';
import type { Module } from '../../../functions/admin/doctor/terraform/module';
import type { Value } from '../../../functions/admin/doctor/terraform/syntax';

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

/** The functions as a folder has them by default. @throws Error where a row does not say what is looked for */
export function deployedFunctions(folder = FOLDER): Functions {
  const { functions } = deploymentOf(folder).locals;
  const functionOf = (name: FunctionName): DeployedFunction => {
    const setting = (key: string) => settingOf(functions, name, key);
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
export function waitSeconds(name: FunctionName, folder = FOLDER): number {
  return Number(settingOf(deploymentOf(folder).locals.functions, name, 'trigger.wait_seconds'));
}

/** How often the sweep of deletions begins, in seconds. */
export function sweepSeconds(folder = FOLDER): number {
  const jobs = deploymentOf(folder).resources('google_cloud_scheduler_job');
  const schedule = toText(jobs.find(({ name }) => name === 'deletion-sweep')?.schedule);
  return 60 * numberIn(/^\*\/(\d+) \* \* \* \*$/.exec(schedule), 'when the sweep begins');
}

/** A price of the table *Prices* in `terraform/README.md`, in US dollars. @param start how its row begins */
export function price(start: string, text = read('README.md')): number {
  const [, prices = ''] = text.split(/^### (?:Prices|The bill)$/m);
  const row = prices.split('\n').find((line) => line.startsWith(`| ${start}`));
  return numberIn(/\$([\d.]+)/.exec(row ?? ''), `the price of ${start}`);
}

function settingOf(functions: unknown, name: FunctionName, key: string): string {
  const value = fieldOf(functions, `${name}.${key}`) as Value | undefined;
  if (value === undefined) throw new Error(`terraform/functions.tf does not say ${key} of ${name}.`);
  return toText(value);
}

/** Nothing that is looked at here depends on the project. */
function deploymentOf(folder: string): Module {
  const facts = { projectNumber: undefined, uris: new Map<string, string>(), checksums: new Map<string, string>() };
  return readDeployment(folder, { project_id: 'simulated' }, facts);
}

function gibOf(memory: string): number {
  const amount = Number.parseFloat(memory);
  return memory.endsWith('Mi') ? amount / 1_024 : amount;
}

function numberIn(match: RegExpExecArray | null, what: string): number {
  if (match?.[1] === undefined) throw new Error(`terraform/ does not say ${what}.`);
  return Number(match[1]);
}
