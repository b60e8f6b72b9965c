/** `npm run smoke` against built artifacts: what it finds, what it says of faults, and what it leaves. */
import { spawn } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { connect } from '../../functions/admin/connection';
import { toLocalConfig } from '../../shared/emulator-config';
import { listBuckets } from '../../shared/operations/buckets';
import { eraseTenant } from '../../shared/operations/erasure/erase';
import { listKeys } from '../../shared/operations/keys/list-keys';
import { listTenants } from '../../shared/operations/tenants';
import { ROUTES } from '../demo/routes';
import type { Answer, ArtifactStack, Fault } from './artifact-stack';
import { startArtifactStack } from './artifact-stack';
import { PROJECT } from './built-artifacts';

let stack: ArtifactStack;
let operator: ReturnType<typeof connect>;
beforeAll(async () => {
  stack = await startArtifactStack();
  operator = connect(toLocalConfig(stack.config));
});
afterAll(async () => {
  await operator.close();
  await stack.stop();
});

interface Run {
  readonly output: string;
  readonly errors: string;
  readonly exitCode: number | null;
}

/** Runs the command as a person does. `onOutput` gets all that it has printed so far. */
async function smoke(
  args: readonly string[] = [],
  onOutput: (output: string, groupId: number) => void = () => undefined,
): Promise<Run> {
  const all = ['run', '--silent', 'smoke', '--', '--config', stack.configFile, ...args];
  const child = spawn('npm', all, { cwd: PROJECT, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    onOutput(output, child.pid ?? 0);
  });
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const exitCode = await new Promise<number | null>((ended) => child.once('close', ended));
  return { output, errors, exitCode };
}

const lines = (output: string) => output.trimEnd().split('\n');
const failing = (output: string) => lines(output).filter((line) => /^ *✗/.test(line));

/** Every smoke test so far has left the marks of its tenants, revoked keys and entries of the audit log, no more. */
async function expectRemoved(): Promise<void> {
  const tenants = await listTenants(operator);
  expect(tenants.filter(({ erasingSince }) => !erasingSince)).toEqual([]);
  for (const { tenantId } of tenants) {
    const { documents, jobs, buckets } = await eraseTenant(tenantId, {}, operator);
    const { tenants: marks, transferRuns: _runs, usage: _usage, ...others } = documents;
    expect({ marks, others, jobs, buckets }).toEqual({ marks: 1, others: {}, jobs: [], buckets: [] });
  }
  for await (const { revokedAt } of listKeys({}, operator)) expect(revokedAt).not.toBeNull();
  for await (const bucket of listBuckets(operator)) expect(bucket).toBeUndefined();
  const { root } = stack.config.storage;
  expect(readdirSync(root).filter((name) => name.includes('smoke-'))).toEqual([]);
}

const withMessage = ({ text, ...rest }: Answer): Answer => ({ ...rest, text: text.replace('removed', 'gone') });
const withoutReset = ({ headers: { 'x-ratelimit-reset': _, ...headers }, ...rest }: Answer): Answer => {
  return { ...rest, headers };
};

/** One of each kind: of the status, the message, a header, the form, what is stored, and the limit. */
const FAULTS: readonly Fault[] = [
  { method: 'GET', path: /^\/orders\//, answer: (answer) => ({ ...answer, status: 503 }) },
  { method: 'DELETE', path: /^\/customers\/[^/]*\?customerId=C-1007$/, answer: withMessage },
  { method: 'POST', path: /^\/products\/[^/]*\/deletions$/, answer: withoutReset },
  { method: 'GET', path: /^\/usage\//, answer: (answer) => ({ ...answer, text: '<html>' }) },
  {
    method: 'POST',
    path: /^\/customers\/[^/]*$/,
    request: (body) => body.replace('"SmsOptin":false}]', '"SmsOptin":true}]'),
    answer: (answer) => (answer.status === 429 ? { ...answer, status: 200 } : answer),
  },
];

describe('npm run smoke', () => {
  let good: Run;
  let faulty: Run;
  let unanswered: Run;
  let interrupted: Run;
  let withoutDatabase: Run;
  let withoutUrl: Run;
  /** All beside each other: none may take notice of another one. */
  beforeAll(async () => {
    const baseUrl = await stack.openGateway(FAULTS);
    const configFile = join(dirname(stack.configFile), 'without-database.json');
    writeFileSync(configFile, JSON.stringify({ ...stack.config, firestore: { port: 1 } }));
    let isInterrupted = false;
    const interrupt = (printed: string, groupId: number) => {
      if (isInterrupted || !printed.includes('  Tenants')) return;
      isInterrupted = true;
      process.kill(-groupId, 'SIGINT'); // as a terminal does for Ctrl-C
    };
    [good, faulty, unanswered, interrupted, withoutDatabase, withoutUrl] = await Promise.all([
      smoke(),
      smoke(['--base-url', baseUrl]),
      smoke(['--base-url', 'http://127.0.0.1:1']),
      smoke([], interrupt),
      smoke(['--config', configFile]),
      smoke(['--project', 'shop-prod']),
    ]);
  });

  it('passes through every route of built artifacts, and compares what is stored, also beside another one (R-387)', () => {
    const { output, errors, exitCode } = good;
    expect(failing(output)).toEqual([]);
    expect(errors).toBe('');
    expect(lines(output).at(-1)).toMatch(
      /^✓ Smoke test passed: \d+ checks\. \d+ routes, \d+ requests, \d+ stored records compared, [\d.]+ s in all\.$/,
    );
    expect(output).toMatch(new RegExp(`^✓ +${Object.keys(ROUTES).length} +0 +[\\d.]+ s {2}Routes$`, 'm'));
    for (const step of ['Stored', 'Deleted', 'Historical transfer', 'Rate limit', 'Removed what it made']) {
      expect(output).toMatch(new RegExp(`^✓ +[1-9]\\d* +0 +[\\d.]+ s {2}${step}$`, 'm'));
    }
    expect(output).not.toContain('\u001b');
    expect(exitCode).toBe(0);
  });

  it('fails the step of each kind of fault, with what was sent, expected and came, and goes on (R-389)', () => {
    const { output, errors, exitCode } = faulty;
    expect(errors).toBe('');
    expect(exitCode).toBe(1);
    expect(lines(output).at(-1)).toMatch(/^✗ Smoke test failed: \d+ of \d+ checks \(marked ✗ above\)\./);
    expect(output).not.toContain('\u001b');
    const steps = lines(output).flatMap((line) => /^✗ +\d+ +\d+ +[\d.]+ s {2}(.*)$/.exec(line)?.[1] ?? []);
    expect(steps).toEqual([
      'Read back',
      'Deleted',
      'Historical transfer',
      'Daily transfer',
      'Usage',
      'Rate limit',
      'Routes',
      'Stored in the end',
    ]);
    const id = '[0-9a-f-]{36}';
    for (const block of [
      ['✗ Aurora  503  GET /orders/<tenant>/<order>  .*', 'getOrder 503: .*', 'getOrder 503: .*', 'status: expected 200, found 503', `sent: GET /orders/${id}/REFUND-1`, 'came: 503 {"success":true,.*'],
      ['✗ 200  200  customer by customer id  .*', 'Aurora: deleteCustomer 200: .*', 'Aurora: body.message: expected "Customer removed.", found "Customer gone."'],
      ['✗ 200  200  3 at once: variants and a product  .*', 'Aurora: deleteProducts 200: .*', 'Aurora: x-ratelimit-reset: expected .*', `Aurora: sent: POST /products/${id}/deletions .*VariantId.*`],
      ['✗ 200  GET /usage/<tenant>', 'the answer is not JSON'],
      ['✗ stored now, though the file says true  .*', 'SmsOptin: expected false, found true'],
    ]) expect(output).toMatch(new RegExp(`^ +${block.join('\n +')}$`, 'm')); // prettier-ignore
  });

  it('stops where no answer comes, and says so (R-389)', () => {
    const { output, errors, exitCode } = unanswered;
    expect(errors).toBe('');
    expect(exitCode).toBe(1);
    expect(output).toMatch(/^✗ +0 +1 +[\d.]+ s {2}Stopped before its end$/m);
    expect(output).toMatch(
      /^ +No answer came: .*ECONNREFUSED.* Sent was POST \/customers\/.*\n +It was at: Sending the shop: /m,
    );
  });

  it('ends in order when it is interrupted (R-389)', () => {
    const { output, exitCode } = interrupted;
    expect(exitCode).toBe(130);
    expect(lines(output).at(-1)).toMatch(/^Smoke test interrupted after \d+ checks\. [\d.]+ s in all\.$/);
  });

  it('makes nothing, and says what to do, where there is no database or no address (R-389)', () => {
    const { errors, ...made } = withoutDatabase;
    expect(made).toEqual({ output: '', exitCode: 1 });
    expect(errors).toMatch(/^The database cannot be reached\. Start the local stack with npm start, .*\n$/);
    const sentence = '--project needs --base-url: terraform output base_url prints it.\n';
    expect(withoutUrl).toEqual({ output: '', errors: sentence, exitCode: 1 });
  });

  it('leaves of all, however they end, the marks of their tenants, and says who removes them when (R-388)', async () => {
    const outputs = [good, faulty, unanswered, interrupted].map(({ output }) => output);
    for (const output of outputs) expect(output).toMatch(/^✓ .*Removed what it made$/m);
    const marked = (await listTenants(operator)).map(({ tenantId }) => tenantId);
    expect(marked).toHaveLength(2 * outputs.length);
    const said = outputs.join('').matchAll(/ tenants erase (\S+) --yes$/gm);
    expect([...said].map(([, tenantId]) => tenantId).sort()).toEqual(marked.sort());
    await expectRemoved();
  });
});
