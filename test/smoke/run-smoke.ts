/** A smoke test from its first line to its verdict: the story of the demo, on a service that runs already. */
import { resolve } from 'node:path';
import type { ConnectionOptions } from '../../functions/admin/connection';
import { configOf, connect } from '../../functions/admin/connection';
import type { Config } from '../../shared/config';
import { readEmulatorConfig } from '../../shared/emulator-config';
import { STALE_TENANT_MS } from '../../shared/limits/tenants';
import type { Operator } from '../../shared/operations/operator';
import { OperatorError } from '../../shared/operations/operator-error';
import { findTenants } from '../../shared/operations/tenants/find-tenants';
import type { ShopBucket } from '../demo/bucket';
import { folderBucket } from '../demo/bucket';
import { tellStory } from '../demo/story';
import type { Terminal } from '../demo/terminal';
import { cloudBucket } from './cloud-bucket';
import type { Removal } from './removal';
import { removeAll, removeEarlier } from './removal';
import { bucketNameOf, newName } from './smoke-names';
import { StepTable } from './step-table';

export interface SmokeOptions extends ConnectionOptions {
  /** Absent: the gateway of the local stack. */
  readonly baseUrl?: string;
}

/** What smoke tests end with. */
export const EXIT = { passed: 0, failed: 1, interrupted: 130 } as const;

/** The time of the story, and of what comes after it before nothing more is begun: two minutes together. */
const STORY_MS = 100_000;
const REMOVAL_MS = 20_000;

/** Headers that Google's front ends add to answers. */
const FRONT_END_HEADERS = ['alt-svc', 'function-execution-id', 'server', 'traceparent', 'via', 'x-cloud-trace-context'];

/** The service that is tested. */
interface Target {
  readonly baseUrl: string;
  readonly config: Config;
  readonly addedHeaders: readonly string[];
  readonly bucketOf: (name: string) => ShopBucket;
}

/**
 * Runs a smoke test, and removes what it made, however it ends.
 * @param interrupted ends the story when it is aborted
 * @returns the exit code
 * @throws OperatorError when the options are wrong; Error when the database cannot be reached: nothing was made then
 */
export async function runSmoke(options: SmokeOptions, terminal: Terminal, interrupted: AbortSignal): Promise<number> {
  const target = targetOf(options);
  const operator = connect(target.config);
  const startedMs = performance.now();
  const name = newName(operator);
  try {
    await findTenants(name, operator);
    terminal.line(`Smoke test ${name} of ${target.baseUrl}, project ${target.config.projectId}`);
    const table = new StepTable(terminal);
    const requests = await tellTo(table, { ...target, operator, name }, interrupted);
    const removal = await remove(name, { operator, bucketOf: target.bucketOf }, table);
    terminal.progress(undefined);
    for (const line of describeLeft(removal, options)) terminal.line(line);
    terminal.line();
    const code = interrupted.aborted ? EXIT.interrupted : table.failed === 0 ? EXIT.passed : EXIT.failed;
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
    terminal.line(`${toVerdict(code, table, terminal)} ${requests}${seconds} s in all.`);
    return code;
  } finally {
    await operator.close();
  }
}

/** Tells the story, or as much of it as can be told. @returns how much that was, for the last line */
async function tellTo(
  table: StepTable,
  { bucketOf, ...target }: Target & { readonly operator: Operator; readonly name: string },
  interrupted: AbortSignal,
): Promise<string> {
  const timeOver = AbortSignal.timeout(STORY_MS);
  const signal = AbortSignal.any([interrupted, timeOver]);
  try {
    table.progress('Making a bucket');
    const bucket = bucketOf(bucketNameOf(target.name, target.config));
    await bucket.create();
    const { routes, requests, recordsCompared } = await tellStory({ ...target, bucket, signal }, table);
    return `${routes} routes, ${requests} requests, ${recordsCompared} stored records compared, `;
  } catch (error) {
    table.end();
    if (interrupted.aborted) return '';
    const problem = timeOver.aborted ? `It had not ended after ${STORY_MS / 1_000} s.` : (error as Error).message;
    table.check('Stopped before its end', [problem, `It was at: ${table.doing}`]);
    return '';
  }
}

async function remove(
  name: string,
  means: { readonly operator: Operator; readonly bucketOf: Target['bucketOf'] },
  table: StepTable,
): Promise<Removal> {
  const endMs = means.operator.clock.nowMs() + REMOVAL_MS;
  table.progress('Removing what was made');
  const own = await removeAll(name, means);
  table.check('Removed what it made', own.problems);
  table.progress('Removing what earlier smoke tests have left');
  const earlier = await removeEarlier(means, endMs).catch((error: unknown) => {
    return { problems: [(error as Error).message], erasing: [] };
  });
  table.check('Removed what earlier smoke tests have left', earlier.problems);
  return { problems: [...own.problems, ...earlier.problems], erasing: [...own.erasing, ...earlier.erasing] };
}

/** What is left, and who removes it when. */
function describeLeft({ erasing }: Removal, { project, config }: SmokeOptions): string[] {
  if (erasing.length === 0) return [];
  const connection = project === undefined ? `--config ${config}` : `--project ${project}`;
  const minutes = Math.ceil(STALE_TENANT_MS / 60_000);
  return [
    '',
    'Left: tenants that are marked as erased, and hold no records. Keys stay listed as revoked. A smoke test that begins',
    `in ${minutes} minutes or later removes these tenants; to do it yourself then:`,
    ...erasing.map((tenantId) => `  npm run --silent admin -- ${connection} tenants erase ${tenantId} --yes`),
  ];
}

function toVerdict(code: number, { passed, failed }: StepTable, terminal: Terminal): string {
  const checks = passed + failed;
  if (code === EXIT.interrupted) return terminal.colour(`Smoke test interrupted after ${checks} checks.`, 'bold');
  const [mark, said] =
    code === EXIT.passed
      ? [terminal.colour('✓', 'green'), `Smoke test passed: ${checks} checks.`]
      : [terminal.colour('✗', 'red'), `Smoke test failed: ${failed} of ${checks} checks (marked ✗ above).`];
  return `${mark} ${terminal.colour(said, 'bold')}`;
}

/** @throws OperatorError */
function targetOf(options: SmokeOptions): Target {
  const config = configOf(options);
  const given = options.baseUrl === undefined ? undefined : requireBaseUrl(options.baseUrl);
  if (options.project === undefined) {
    const { host, gateway, storage } = readEmulatorConfig(resolve(options.config));
    return {
      baseUrl: given ?? `http://${host}:${gateway.port}`,
      config,
      addedHeaders: [],
      bucketOf: (name) => folderBucket(storage.root, name),
    };
  }
  if (given === undefined) throw new OperatorError('--project needs --base-url: terraform output base_url prints it.');
  return { baseUrl: given, config, addedHeaders: FRONT_END_HEADERS, bucketOf: (name) => cloudBucket(name, config) };
}

/** An origin: the paths of the routes come behind it. @throws OperatorError */
function requireBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search && !url.hash && !url.username)
    return url.origin;
  throw new OperatorError(`--base-url must be an address such as https://api.example.com; it is "${text}".`);
}
