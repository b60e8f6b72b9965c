/** What terraform/ says of the code in its own words must stay true: terraform's own tests cannot see the code. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { evaluate } from '../../../functions/admin/doctor/terraform/evaluate';
import { FUNCTIONS } from '../../../functions/admin/doctor/terraform/functions';
import { parse } from '../../../functions/admin/doctor/terraform/parse';
import { deployedFunctions } from '../../../functions/build/deployed-functions';
import { DEFAULT_TOPICS, readConfig } from '../../../shared/config';
import { API_KEYS, AUDIT_LOG, LIVE_TRANSFERS, RUNS, TENANT_COLLECTIONS, TENANTS } from '../../../shared/documents/paths';
import { SHOWN_IN } from '../../../shared/documents/preview-store';
import { MAX_REQUESTS_IN_FLIGHT, MAX_STREAMS, STREAM_MS } from '../../../shared/limits/requests';
import { MATCHING_CUSTOMER_ID, MATCHING_EMAIL } from '../../../shared/workspace/record-documents';
import { STUB } from '../../../shared/workspace/kept-tombstones';
import { BOUNDED_HEAP_OPTIONS, STEADY_HEAP_OPTIONS } from '../../../shared/platform/heap';

const ROOT = join(__dirname, '../../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const terraform = (file: string) => read(`terraform/${file}`);

/** The sources of the deployed code and of the operator's command line. */
const sources = ['shared', 'functions'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => ({ file: `${folder}/${file}`, text: read(`${folder}/${file}`) })),
);

/** The elements of a set among the locals of a file, sorted; none where there is no such set. */
function listed(text: string, name: string): readonly string[] {
  const locals = parse(text, 'terraform').blocks.filter(({ type }) => type === 'locals');
  const expressions = locals.flatMap(({ body }) => body.attributes.get(name) ?? []);
  return expressions.flatMap((set) => evaluate(set, { find: () => undefined, functions: FUNCTIONS }) as string[]);
}

it('counts log lines by texts that the code writes', () => {
  const messages = [...terraform('monitoring.tf').matchAll(/\{ message = "([^"]+)"/g)].map(([, text = '']) => text);
  expect(messages.length).toBeGreaterThan(4);
  const unknown = messages.filter((message) => !sources.some(({ text }) => text.includes(`'${message}'`)));
  expect(unknown).toEqual([]);
});

it('counts the lines of every error that the code logs, so that an alert or an objective can tell of it', () => {
  const counted = new Set([...terraform('monitoring.tf').matchAll(/\{ message = "([^"]+)"/g)].map(([, text]) => text));
  const errors = sources.flatMap(({ text }) => [...text.matchAll(/[[(]'ERROR', '([^']+)'/g)].map(([, message]) => message));
  expect(errors).toContain('The rows of a transfer run do not add up.');
  expect(errors.filter((message) => !counted.has(message))).toEqual([]);
});

it('tells an operator in README.md what each alert means', () => {
  const titles = [...terraform('monitoring.tf').matchAll(/^ {6}title += "([^"]+)"$/gm)].map(([, title = '']) => title);
  expect(titles.length).toBeGreaterThan(4);
  expect(titles.filter((title) => !terraform('README.md').includes(`\n| ${title} |`))).toEqual([]);
});

it('tells an operator only commands that reach the project', () => {
  const commands = [terraform('monitoring.tf'), terraform('README.md')]
    .join('\n')
    .match(/npm run (?:--silent )?admin .*/g);
  expect(commands?.length).toBeGreaterThan(5);
  expect(commands?.filter((command) => !/ admin -- --project \$(PROJECT|\{var\.project_id\}) /.test(command))).toEqual([]);
});

it('exempts the fields of every collection from indexes', () => {
  const paths = read('shared/documents/paths.ts');
  const documented = [...paths.matchAll(/^ \* {3}([^\s:]+)/gm)].map(([, path = '']) => path.split('/').at(-2) ?? '');
  expect(documented.length).toBeGreaterThan(10);
  expect(listed(terraform('firestore.tf'), 'collections')).toEqual([...new Set(documented)].sort());
});

it('knows all collections of a tenant and no other ones, so that an erasure tells what it will remove (R-60)', () => {
  const paths = read('shared/documents/paths.ts');
  const below = [...paths.matchAll(/^ \* {3}tenants\/<tenant>\/(\w+)\/<\w+>/gm)].map(([, id = '']) => id);
  expect([...TENANT_COLLECTIONS].sort()).toEqual(below.sort());
});

it('lets exactly those documents expire that are written with a time for it', () => {
  const paths = read('shared/documents/paths.ts');
  const expiring = [...paths.matchAll(/^ \* {3}(\S+) +\(expires\)/gm)].map(([, path = '']) => path.split('/').at(-2));
  expect(expiring.length).toBeGreaterThan(5);
  expect(listed(terraform('firestore.tf'), 'expiring')).toEqual([...new Set(expiring)].sort());
});

/** They pass on what others ask. */
const PASSING_ON: ReadonlySet<string> = new Set(['shared/documents/known-documents.ts', 'shared/documents/trial-store.ts']);

it('indexes exactly the fields that queries filter by', () => {
  // The queries of the code, file by file; whoever adds one adds its field here and in firestore.tf.
  const queried: Record<string, string[]> = {
    'shared/workspace/customer-lookup.ts': [`customers/${MATCHING_EMAIL}`, `customers/${MATCHING_CUSTOMER_ID}`],
    // The queries of reading files, among what a preview would have stored, and its lists.
    'shared/documents/preview-store.ts': [MATCHING_EMAIL, MATCHING_CUSTOMER_ID, SHOWN_IN].map((field) => `previewed/${field}`),
    'shared/deletions/reachable-customers.ts': [`customers/${MATCHING_EMAIL}`, `customers/${MATCHING_CUSTOMER_ID}`],
    'shared/transfers/runs/finish-run.ts': ['files/status'],
    'shared/transfers/runs/live/live-transfers.ts': [`${LIVE_TRANSFERS}/bucketId`, `${LIVE_TRANSFERS}/state`],
    'shared/transfers/runs/waiting/begin-due-runs.ts': [`${RUNS}/begins`],
    'shared/transfers/runs/view/find-files.ts': ['files/status', 'files/object'],
    'functions/console/session/list-tenants.ts': [`${TENANTS}/organizationId`],
    // What counts by a value: the documents of deleted orders, which are no orders.
    'shared/operations/count-documents.ts': [`orders/${STUB.field}`],
    'shared/operations/tenants/find-tenants.ts': [`${TENANTS}/organizationId`],
    'shared/operations/audit.ts': [`${AUDIT_LOG}/tenantId`, `${AUDIT_LOG}/actor`],
    'shared/operations/keys.ts': [`${TENANTS}/organizationId`],
    'shared/operations/keys/key-requests.ts': [`${TENANTS}/organizationId`],
    'shared/operations/keys/list-keys.ts': [`${API_KEYS}/organizationId`],
    'shared/operations/keys/shown-key.ts': [`${API_KEYS}/keyId`],
  };
  const querying = sources
    .filter(({ text }) => /\b(?:store|stored|reads)\.(?:findWhere\(|count\(.*, \w+\(\), )/.test(text))
    .map(({ file }) => file)
    .filter((file) => !PASSING_ON.has(file));
  expect(querying.sort()).toEqual(Object.keys(queried).sort());
  const fields = new Set(Object.values(queried).flat());
  expect(listed(terraform('firestore.tf'), 'queried_fields')).toEqual([...fields].sort());
});

it('indexes exactly the fields that queries for the last documents filter by', () => {
  const queried: Record<string, string[]> = {
    'shared/operations/erasure/tenant-runs.ts': [`${RUNS}/tenantId`],
    'shared/transfers/runs/view/find-runs.ts': ['tenantId', 'jobId', 'status', 'statusOfTenant', 'statusOfJob'].map((field) => `${RUNS}/${field}`),
  };
  const querying = sources
    .filter(({ text }) => /tore\.findLastWhere\(|pagesFromLastWhere\(store/.test(text))
    .map(({ file }) => file)
    .filter((file) => file !== 'shared/documents/pages.ts'); // whoever calls it names the field
  expect(querying.sort()).toEqual(Object.keys(queried).sort());
  const fields = new Set(Object.values(queried).flat());
  expect(listed(terraform('firestore.tf'), 'last_queried_fields')).toEqual([...fields].sort());
});

it('deploys a function only when its indexes are built and the identity that builds has its grants', () => {
  const waits = /\n {2}depends_on = \[([^\]]*)\]/.exec(terraform('functions.tf'))?.[1] ?? '';
  const indexes = [...terraform('firestore.tf').matchAll(/^resource "(\S+)" "(\w*queried)"/gm)].map(
    ([, type = '', name = '']) => `${type}.${name}`,
  );
  expect(indexes.length).toBeGreaterThan(1);
  for (const needed of [...indexes, 'terraform_data.build_grants_in_effect']) expect(waits).toContain(needed);
});

it('tells the operator how many fields and indexes the first apply changes', () => {
  const firestore = terraform('firestore.tf');
  const lists = ['collections', 'queried_fields', 'last_queried_fields', 'expiring'];
  const changes = lists.reduce((sum, name) => sum + listed(firestore, name).length, 0);
  expect(terraform('README.md')).toContain(` ${changes} changes of fields and indexes`);
});

it('tells the operator the CPUs that all maxima take, which the tests of terraform/ count', () => {
  const counted = /output\.cpus_at_most == (\d+)/.exec(terraform('tests/functions.tftest.hcl'))?.[1] ?? 'none';
  for (const file of ['functions.tf', 'README.md', 'prod.tfvars.example']) {
    expect(terraform(file).replace(/\s#|\s+/g, ' ')).toMatch(new RegExp(`take ${counted}\\b`));
  }
});

it('tells the operator how many conditions the alerts have, which the tests of terraform/ count', () => {
  const counted = / == (\d+)\n +error_message = "All alerts have/.exec(terraform('tests/objectives.tftest.hcl'))?.[1] ?? 'none';
  expect(terraform('README.md')).toContain(`alerts (${counted} conditions)`);
});

it('sends an instance no more requests at once than it takes', () => {
  const bound = /concurrency, 1\), 1\) <= (\d+)/.exec(terraform('variables.tf'))?.[1];
  expect(Number(bound)).toBe(MAX_REQUESTS_IN_FLIGHT);
});

it('gives a stream of the ingestion function its time, and the most of its places to other requests (R-92)', () => {
  const row = terraform('functions.tf').split('entry_point     = "ingestion"')[1]!;
  const numberOf = (name: string) => Number(new RegExp(`^ +${name} += (\\d+)$`, 'm').exec(row)?.[1]);
  expect(numberOf('timeout_seconds')).toBeGreaterThanOrEqual(STREAM_MS / 1_000 + 60);
  expect(MAX_STREAMS).toBeLessThanOrEqual(numberOf('concurrency') / 5);
});

it('deploys every function, by its own name', () => {
  const rows = [...terraform('functions.tf').matchAll(/^ {4}([a-z-]+) += (?:merge\([^"{]*)?\{\s*entry_point\s*= "([^"]+)"/gm)];
  expect(rows.map(([, name]) => name).sort()).toEqual(deployedFunctions(ROOT));
  for (const [, name, entryPoint] of rows) expect(entryPoint).toBe(name);
});

it('has an objective for every deployed function, and tells the operator its bounds (R-396)', () => {
  const objectives = terraform('objectives.tf');
  const inGroups = [...objectives.matchAll(/functions = \[([^\]]*)\], within_ms = (\d+)/g)];
  const waits = [...terraform('functions.tf').matchAll(/ wait_seconds = (\d+)/g)].map(([, seconds]) => Number(seconds));
  const named = inGroups.flatMap(([, names = '']) => [...names.matchAll(/"([^"]+)"/g)].map(([, name]) => name));
  const waiting = [...objectives.matchAll(/^ {4}([a-z-]+) += \{ title/gm)].map(([, name]) => name);
  expect([...named, ...waiting].sort()).toEqual(deployedFunctions(ROOT));
  expect(waits).toEqual([900, 900, 3600]); // README.md says 15 minutes and an hour
  expect(new Set(inGroups.map(([, , ms]) => ms))).toEqual(new Set(['5000', '10000'])); // 5 s and 10 s
});

it('makes the topics that the code expects', () => {
  expect(listed(terraform('messaging.tf'), 'topics')).toEqual(Object.values(DEFAULT_TOPICS).sort());
});

it('bounds the heap of every function as the code says', () => {
  const options = [...terraform('functions.tf').matchAll(/NODE_OPTIONS\s*=\s*"([^"]*)"/g)].map(([, text]) => text);
  const [upserts, ingestion, usage, deletions, uploads, runner, ...others] = options;
  expect([upserts, ingestion, usage, deletions, uploads]).toEqual(Array(5).fill(BOUNDED_HEAP_OPTIONS));
  expect([runner, ...others]).toEqual([STEADY_HEAP_OPTIONS]);
});

it('names the service account of transfer-runner as its module does, and as the code expects (R-115)', () => {
  const accountId = /account_id\s*= "(.*)"/.exec(terraform('modules/function/main.tf'))?.[1];
  const name = accountId?.replace('${var.name}', 'transfer-runner');
  const { transferServiceAccount } = readConfig({ GOOGLE_CLOUD_PROJECT: 'p' });
  expect(transferServiceAccount).toBe(`${name}@p.iam.gserviceaccount.com`);
  expect(terraform('functions.tf')).toContain(`"${name}@\${var.project_id}.iam.gserviceaccount.com"`);
});

it('sets only variables that the configuration reads', () => {
  const block = /service_environment = \{([\s\S]*?)\n {2}\}/.exec(terraform('functions.tf'))?.[1] ?? '';
  const names = [...block.matchAll(/^\s+([A-Z_]+)\s+=/gm)].map(([, name = '']) => name);
  expect(names).toContain('FIRESTORE_DATABASE');
  const config = read('shared/config.ts');
  const ofThePlatform = ['LOG_EXECUTION_ID'];
  expect(names.filter((name) => !config.includes(name) && !ofThePlatform.includes(name))).toEqual([]);
});

it('leaves logs as long as they are by default, as operators are told', () => {
  const files = readdirSync(join(ROOT, 'terraform'), { recursive: true, encoding: 'utf8' });
  const setting = files.filter((file) => file.endsWith('.tf') && /logging_\w*bucket_config/.test(terraform(file)));
  expect(setting).toEqual([]);
  const operating = read('docs/operating.md');
  expect(operating).toContain('for 30 days: the default of Cloud Logging, which Terraform does not change');
  expect(operating).toContain('Log lines for 30 days ([how to see or change that](#how-long-logs-are-kept))');
});

it('keeps addresses out of the log of requests as the client and people write e-mails into them, and no others (R-316)', () => {
  const [, pattern = ''] = /requestUrl=~\\"([^"\\]+)\\"/.exec(terraform('monitoring.tf')) ?? [];
  const isExcluded = (url: string) => new RegExp(pattern).test(url);
  const query = new URLSearchParams({ email: 'ann@example.com' }).toString();
  expect(isExcluded(`https://api.example.com/customers/t?${query}`)).toBe(true);
  expect(isExcluded('https://api.example.com/customers/t?email=ann@example.com')).toBe(true);
  expect(isExcluded('https://api.example.com/customers/t?customerId=C-1')).toBe(false);
});
