/** The package as its users get it: packed, and installed where nothing else is. */
import { build as bundle } from 'esbuild';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PROJECT, readJson, temporaryFolder } from '../artifacts/built-artifacts';
import { useTestService } from '../support/test-service';

const run = promisify(execFile);
const service = useTestService('customers');
const folder = temporaryFolder();
const app = join(folder, 'app');
const installed = join(app, 'node_modules/data-ingestion-client');

beforeAll(async () => {
  const packed = join(folder, 'client');
  mkdirSync(app);
  for (const file of ['package.json', 'README.md']) cpSync(join(PROJECT, 'client', file), join(packed, file));
  await build(join(packed, 'dist'));
  await run('npm', ['pack', packed, '--pack-destination', folder, '--loglevel=error']);
  writeFileSync(join(app, 'package.json'), '{ "private": true }');
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))!;
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, tarball)], { cwd: app });
});
afterAll(() => rmSync(folder, { recursive: true }));

async function build(out: string): Promise<void> {
  await run('npm', ['run', '--silent', 'build:client', '--', '--out', out], { cwd: PROJECT });
}

function filesBelow(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}

const PROGRAM = `
  const client = new IngestionClient({ baseUrl: process.env.BASE_URL, key: process.env.KEY });
  client.customers(process.env.TENANT).upsertAll([{ Email: 'ann@example.com' }, { Email: 'none' }], { onInvalid: 'skip' })
    .then(({ accepted, rejected }) => console.log(JSON.stringify({ accepted, rejected: rejected.map(({ index }) => index) })));
`;

it.each([
  ['an ES module', 'app.mjs', `import { IngestionClient } from 'data-ingestion-client';`],
  ['CommonJS', 'app.cjs', `const { IngestionClient } = require('data-ingestion-client');`],
])('works in %s', async (_, file, first) => {
  const { tenantId, key } = await service().createCaller();
  writeFileSync(join(app, file), first + PROGRAM);
  const baseUrl = `http://127.0.0.1:${service().portOf('customers')}`;
  const env = { ...process.env, BASE_URL: baseUrl, KEY: key, TENANT: tenantId };
  const { stdout } = await run(process.execPath, [file], { cwd: app, env });
  expect(JSON.parse(stdout)).toEqual({ accepted: 1, rejected: [1] });
  expect(await service().records(tenantId, 'customers')).toMatchObject([{ Email: 'ann@example.com' }]);
});

const TYPED = `
import { IngestionClient, ValidationError } from 'data-ingestion-client';
import type { Customer, FeedResult, Order, OrderItem, Product, ProductVariant, RowError, Run, RunFile, Transfer, Warning } from 'data-ingestion-client';

export type All = [Customer, Order, OrderItem, Product, ProductVariant, RowError, Run, RunFile, Transfer, Warning];
const client = new IngestionClient({ baseUrl: 'https://data.example.com', key: 'key' });
const result: Promise<FeedResult> = client.customers('t').upsertAll([{ Email: 'ann@example.com', EmailOptin: true }]);
result.catch((error: unknown) => error instanceof ValidationError && error.errors['Email']?.length);
// @ts-expect-error A misspelt field is found before anything is sent.
void client.customers('t').upsert({ Email: 'ann@example.com', EmailOptIn: true });
// @ts-expect-error An order needs a currency.
void client.orders('t').upsert({ OrderId: '1001' });
`;

/** The code of the README, block after block. */
function readmeCode(): string {
  const text = readFileSync(join(installed, 'README.md'), 'utf8');
  const blocks = [...text.matchAll(/^\`\`\`ts\n(.*?)^\`\`\`$/gms)].map(([, code]) => code);
  expect(blocks.length).toBeGreaterThan(3);
  return blocks.join('\n');
}

it.each([
  [
    'Node.js',
    { lib: ['ES2023'], types: ['node'], skipLibCheck: true, typeRoots: [join(PROJECT, 'node_modules/@types')] },
  ],
  ['browsers', { lib: ['ES2023', 'DOM', 'DOM.AsyncIterable'], types: [] }],
])('has types that TypeScript takes for %s', async (name, options) => {
  const here = join(app, name === 'Node.js' ? 'node' : 'browser');
  mkdirSync(here);
  writeFileSync(join(here, 'esm.mts'), TYPED);
  writeFileSync(join(here, 'common.cts'), TYPED);
  // The code of the README is for Node.js.
  if (name === 'Node.js') writeFileSync(join(here, 'readme.mts'), readmeCode());
  const compilerOptions = { ...options, module: 'nodenext', target: 'ES2023', strict: true, exactOptionalPropertyTypes: true, noEmit: true }; // prettier-ignore
  writeFileSync(join(here, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['.'] }));
  const tsc = join(PROJECT, 'node_modules/typescript/bin/tsc');
  const checked = await run(process.execPath, [tsc, '-p', here], { cwd: app }).catch((error: unknown) => error);
  expect(checked).toMatchObject({ stdout: '' });
});

it('needs nothing of Node.js in a browser, and no other package', async () => {
  const { outputFiles } = await bundle({
    stdin: { contents: `export * from 'data-ingestion-client';`, resolveDir: app },
    bundle: true,
    platform: 'browser',
    format: 'esm',
    write: false,
    minify: true,
  });
  expect(outputFiles[0]!.contents.length).toBeLessThan(24_000);
  expect(readJson(installed, 'package.json')).not.toHaveProperty('dependencies');
});

it('has the same bytes when it is made again', async () => {
  const again = join(folder, 'again');
  await build(again);
  const files = filesBelow(again);
  expect(filesBelow(join(folder, 'client/dist'))).toEqual(files);
  for (const file of files) {
    expect([file, readFileSync(join(again, file), 'utf8')]).toEqual([
      file,
      readFileSync(join(folder, 'client/dist', file), 'utf8'),
    ]);
  }
  expect(filesBelow(installed)).toEqual(['README.md', ...files.map((file) => `dist/${file}`), 'package.json']);
});

it('brings the command ingest, which needs nothing else', async () => {
  const { tenantId, key } = await service().createCaller();
  const file = join(folder, 'customers.csv');
  writeFileSync(file, 'Email,Name\nbea@example.com,Bea\n');
  const env = { ...process.env, INGEST_URL: `http://127.0.0.1:${service().portOf('customers')}`, INGEST_KEY: key };
  const ingest = join(app, 'node_modules/.bin/ingest');
  const { stdout } = await run(ingest, ['push', 'customers', file, '--tenant', tenantId], { cwd: app, env });
  expect(JSON.parse(stdout)).toMatchObject({ stored: 1, rejected: 0 });
  expect(await service().records(tenantId, 'customers')).toMatchObject([{ Email: 'bea@example.com', Name: 'Bea' }]);
});
