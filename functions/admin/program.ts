/** The commands, their options and their help. What a command does is a use case of shared/operations. */
import { Command, Option } from 'commander';
import type { Writable } from 'node:stream';
import { MAX_LISTED_RUNS } from '../../shared/limits/transfers';
import { listAudit } from '../../shared/operations/audit';
import { listBuckets, releaseOwnedBucket, showBucket } from '../../shared/operations/buckets';
import type { Operator } from '../../shared/operations/operator';
import { listSetAside, retryDeletions } from '../../shared/operations/deletions';
import { eraseTenant } from '../../shared/operations/erasure/erase';
import {
  discardDeadLetters,
  listDeadLetters,
  replayDeadLetters,
} from '../../shared/operations/dead-letters/dead-letters';
import { createKey, listKeys, revokeKey, rotateKey } from '../../shared/operations/keys';
import { countRecords, exportRecords, getRecord } from '../../shared/operations/records';
import { exportPerson } from '../../shared/operations/person';
import { rekeyTenant } from '../../shared/operations/rekey';
import { replayDeletions } from '../../shared/operations/restore';
import {
  listFiles,
  listRuns,
  listTransfers,
  replayRun,
  listBadRows,
  resumeTransfer,
  runTransfer,
  watchRun,
} from '../../shared/operations/transfers';
import { createTenant, listTenants, requireTenant, updateTenant } from '../../shared/operations/tenants';
import { createTenants } from '../../shared/operations/tenants/create-tenants';
import { findTenants } from '../../shared/operations/tenants/find-tenants';
import { resumeTenant, suspendTenant } from '../../shared/operations/tenants/suspension';
import type { ConnectionOptions } from './connection';
import type { AuditTexts, KeyTexts, ReplayTexts, RotationTexts, TenantTexts } from './options';
import {
  nameFlag,
  parseAuditOptions,
  parseKeyOptions,
  parseKind,
  parseLimit,
  parseReplayOptions,
  parseRotationOptions,
  parseTenantOptions,
} from './options';
import { readTenantsFile } from './tenants-file';

/** Where a command prints. */
export interface Terminal {
  /** On a terminal, a message of progress is cleared before a line is printed. */
  readonly stdout: Writable & { readonly isTTY?: boolean };
  /** On a terminal, a message of progress replaces the one before. */
  readonly stderr: Writable & { readonly isTTY?: boolean };
}

/** A command's result: one JSON document, or a stream of JSON lines. */
export type Result = { readonly document: unknown } | { readonly lines: AsyncIterable<object> };

/** Runs a command's work with a connection and prints its result. */
export type Run = (work: (operator: Operator) => Promise<Result> | Result) => Promise<void>;

/** Two ways to run a command's work: `run` prints its result, `print` the one document that it resolves with. */
interface Printing {
  readonly run: Run;
  readonly print: (work: (operator: Operator) => Promise<unknown>) => Promise<void>;
}

const KINDS = 'customers, products or orders';

const ABOUT_DEAD_LETTERS = `
Pub/Sub hands out what it has in no order and, seldom, not all of it: a list is a sample, and a second one may show more.
A command holds what it is handed until it ends. It gives back what it leaves there: another command finds it after
moments, or within about a minute when the first one was killed. A replay loses no message; it may publish one twice, which
is safe.
`;

/**
 * Builds the program. The program throws a CommanderError where commander would end the process.
 * @param runWith runs the work of the called command with a connection by the global options
 */
export function buildProgram(runWith: (options: ConnectionOptions) => Run, { stdout, stderr }: Terminal): Command {
  const program = new Command('admin')
    .exitOverride()
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) })
    .description('Looks after tenants, keys and stored records. Prints one JSON document; messages go to stderr.')
    .option('--config <file>', 'the local stack’s configuration', 'emulator.config.json')
    .option('--project <id>', 'a Google Cloud project instead of the local stack (application default credentials)')
    .showHelpAfterError('(add --help for the usage)')
    .configureHelp({ showGlobalOptions: true });
  let called = program;
  program.hook('preAction', (_, command) => {
    called = command;
  });
  const run: Run = async (work) => {
    try {
      await runWith(program.opts<ConnectionOptions>())(work);
    } catch (error) {
      throw nameFlag(error, called);
    }
  };
  const printing: Printing = { run, print: (work) => run(async (operator) => ({ document: await work(operator) })) };

  addTenants(program, printing);
  addKeys(program, printing);
  addRecords(program, printing);
  addTransfers(program, printing);
  addBuckets(program, printing);
  addDeletions(program, printing);
  addDeadLetters(program, printing);
  addRestore(program, printing);
  addAudit(program, printing);
  return program;
}

function addTenants(program: Command, { run, print }: Printing): void {
  const tenants = program.command('tenants').description('tenants and their settings');
  const create = tenants.command('create').description('create a tenant and print it; or those of a file');
  withSettings(create, { isNew: true })
    .option('--organization <org>', 'the organization that it belongs to; required without --from')
    .option('--id <guid>', 'its id (default: a new GUID)')
    .addOption(
      new Option('--from <file>', 'create the tenants of a CSV or NDJSON file, and print an answer a line').conflicts([
        'organization',
        'id',
        ...SETTING_OPTIONS,
      ]),
    )
    .action(({ from, organization, ...texts }: TenantTexts & { from?: string }) => {
      if (from !== undefined) return run((operator) => ({ lines: createTenants(readTenantsFile(from), operator) }));
      if (organization === undefined)
        return create.error("error: required option '--organization <org>' not specified");
      return print((operator) => createTenant({ ...parseTenantOptions(texts), organization }, operator));
    });
  withSettings(
    tenants.command('update <guid>').description('change the settings that are given and print the tenant'),
    { isNew: false },
  )
    .option('--organization <org>', 'the organization that it belongs to')
    .action((guid: string, options: TenantTexts) =>
      print((operator) => updateTenant(guid, parseTenantOptions(options), operator)),
    );
  tenants
    .command('show <guid>')
    .description('print a tenant')
    .action((guid: string) => print((operator) => requireTenant(guid, operator)));
  tenants
    .command('list')
    .description('print all tenants as an array')
    .option('--search <text>', 'only those whose id or display name begins with it')
    .action(({ search }: { search?: string }) =>
      print((operator) => (search === undefined ? listTenants(operator) : findTenants(search, operator))),
    );
  tenants
    .command('suspend <guid>')
    .description('refuse a tenant’s requests and let its transfers rest, until it is resumed; print it')
    .action((guid: string) => print((operator) => suspendTenant(guid, operator)));
  tenants
    .command('resume <guid>')
    .description('serve a suspended tenant again, and go on with its transfers; safe to run again')
    .action((guid: string) => print((operator) => resumeTenant(guid, operator)));
  tenants
    .command('rekey <guid>')
    .description(
      're-key the stored records after an identifier was changed, and once more at repeatAfter; safe to run again',
    )
    .action((guid: string) => print((operator) => rekeyTenant(guid, operator)));
  tenants
    .command('erase <guid>')
    .description(
      'print what is stored of a tenant or, with --yes, remove all of it for good; safe to run again when it was stopped',
    )
    .option('--yes', 'remove it: requests of the tenant get 404 at once')
    .action((guid: string, options: { yes?: boolean }) => print((operator) => eraseTenant(guid, options, operator)));
}

function addKeys(program: Command, { print }: Printing): void {
  const keys = program.command('keys').description('API keys of organizations');
  keys
    .command('create')
    .description('create a key and print it, this once')
    .requiredOption('--organization <org>', 'the organization whose tenants it opens')
    .option(
      '--permissions <list>',
      'some of customers,products,orders,transfers,records,settings (default: all but records, which reads records back, and settings, which looks after keys and settings)',
    )
    .option('--limit <n>', 'requests a minute (default: 100)')
    .option('--name <text>', 'what the organization calls it')
    .option('--expires <time>', 'when it ends by itself, such as 90d or 2027-03-01T00:00:00Z (default: never)')
    .action((options: KeyTexts) =>
      print((operator) => createKey(parseKeyOptions(options, operator.clock.nowMs()), operator)),
    );
  keys
    .command('rotate <keyId>')
    .description('create its successor with the same name, permissions and limit, and print it, this once')
    .option('--overlap <time>', 'how long both are valid, such as 30m, 24h or 7d (default: 24h)')
    .option('--expires <time>', 'when the successor ends by itself; required where the key has an end')
    .action((keyId: string, options: RotationTexts) =>
      print((operator) => rotateKey(keyId, parseRotationOptions(options, operator.clock.nowMs()), operator)),
    );
  keys
    .command('list')
    .description('print the keys of an organization as an array, never the keys themselves')
    .requiredOption('--organization <org>', 'the organization')
    .action((options: { organization: string }) => print((operator) => listKeys(options.organization, operator)));
  keys
    .command('revoke <keyId>')
    .description('revoke a key from the next request on')
    .action((keyId: string) => print((operator) => revokeKey(keyId, operator)));
}

function addRecords(program: Command, { run, print }: Printing): void {
  const records = program.command('records').description('stored records under the specification’s field names');
  records
    .command('get <tenant> <kind> [id]')
    .description(
      `print a stored record or null, or an array of the customers who share what they are named by; kind: ${KINDS}`,
    )
    .option('--email <email>', 'a customer’s e-mail')
    .option('--customer-id <id>', 'a customer’s id')
    .action((tenant: string, kind: string, id: string | undefined, options: { email?: string; customerId?: string }) =>
      print((operator) =>
        getRecord(tenant, parseKind(kind), { ...options, ...(id !== undefined && { id }) }, operator),
      ),
    );
  records
    .command('person <tenant>')
    .description(
      'print all that is stored of a person, customers and orders, one JSON object a line; looks through all orders',
    )
    .option('--email <email>', 'the person’s e-mail')
    .option('--customer-id <id>', 'the person’s customer id')
    .action((tenant: string, options: { email?: string; customerId?: string }) =>
      run((operator) => ({ lines: exportPerson(tenant, options, operator) })),
    );
  records
    .command('count <tenant> <kind>')
    .description(`print {"count": n}; kind: ${KINDS}`)
    .action((tenant: string, kind: string) => print((operator) => countRecords(tenant, parseKind(kind), operator)));
  records
    .command('export <tenant> <kind>')
    .description(`print all records, one JSON object a line; kind: ${KINDS}`)
    .action((tenant: string, kind: string) =>
      run((operator) => ({ lines: exportRecords(tenant, parseKind(kind), operator) })),
    );
}

function addTransfers(program: Command, { run, print }: Printing): void {
  const transfers = program.command('transfers').description('transfers from tenants’ buckets');
  transfers
    .command('list <tenant>')
    .description('print the recurring jobs as an array: jobId, schedule, timeZone, nextRun, bucketName, folderPaths')
    .action((tenant: string) => print((operator) => listTransfers(tenant, operator)));
  transfers
    .command('run <jobId>')
    .description('fire a recurring job now, through Cloud Scheduler')
    .action((jobId: string) => print((operator) => runTransfer(jobId, operator)));
  transfers
    .command('runs <tenant>')
    .description(`print the newest ${MAX_LISTED_RUNS} runs as an array, newest first`)
    .action((tenant: string) => print((operator) => listRuns(tenant, operator)));
  transfers
    .command('files <runId>')
    .description('print the files of a run, how far each is and why it failed, one JSON object a line')
    .action((runId: string) => run((operator) => ({ lines: listFiles(runId, operator) })));
  transfers
    .command('report <runId>')
    .description('print the bad rows of a run, one JSON object a line')
    .action((runId: string) => run((operator) => ({ lines: listBadRows(runId, operator) })));
  transfers
    .command('replay <runId>')
    .description('read the bad rows of a run again, from the files as they are now')
    .action((runId: string) => print((operator) => replayRun(runId, operator)));
  transfers
    .command('resume <runId>')
    .description('hand out again what a running run still has to do, when its messages were lost')
    .action((runId: string) => print((operator) => resumeTransfer(runId, operator)));
  transfers
    .command('watch <runId>')
    .description('show the progress of a run until it ends, then print it')
    .action((runId: string) => print((operator) => watchRun(runId, operator)));
}

function addBuckets(program: Command, { run, print }: Printing): void {
  const buckets = program.command('buckets').description('which organization a bucket belongs to');
  buckets
    .command('list')
    .description('print all registered buckets with their organizations, one JSON object a line')
    .action(() => run((operator) => ({ lines: listBuckets(operator) })));
  buckets
    .command('show <name>')
    .description('print the organization that a bucket belongs to')
    .action((name: string) => print((operator) => showBucket(name, operator)));
  buckets
    .command('release <name>')
    .description('give a bucket back, so that another organization can register it')
    .action((name: string) => print((operator) => releaseOwnedBucket(name, operator)));
}

function addRestore(program: Command, { print }: Printing): void {
  program
    .command('restore')
    .description('after a restore or a clone of the database, with FIRESTORE_DATABASE set to the new one')
    .command('replay-deletions')
    .description(
      'delete again what was deleted since the snapshot, as the database before knows it; safe to run again, and to be run again when it was stopped',
    )
    .requiredOption('--from-database <id>', 'the database before')
    .requiredOption('--snapshot-time <time>', 'what the new database is a copy of, such as 2026-11-20T10:15:00Z')
    .requiredOption('--restored-at <time>', 'when the restore had ended; what is written later, is newer')
    .action((options: ReplayTexts) => print((operator) => replayDeletions(parseReplayOptions(options), operator)));
}

function addAudit(program: Command, { run }: Printing): void {
  program
    .command('audit')
    .description('who changed what, by the command line and the console; kept for 400 days')
    .command('list')
    .description('print the newest entries, one JSON object a line')
    .option('--tenant <guid>', 'only entries about this tenant')
    .option('--actor <name>', 'only what this account, user or key has done')
    .option('--since <time>', 'only entries of the last 30m, 24h, 7d, …')
    .option('--limit <n>', 'at most so many, up to 1000 (default: 100)')
    .option('--after <entryId>', 'only entries older than this one')
    .action((options: AuditTexts) => run((operator) => ({ lines: auditLines(options, operator) })));
}

async function* auditLines(options: AuditTexts, operator: Operator): AsyncGenerator<object> {
  const { entries, next } = await listAudit(parseAuditOptions(options, operator.clock.nowMs()), operator);
  yield* entries;
  if (next !== null) operator.notice(`There are older entries: add --after ${next}.`);
}

function addDeletions(program: Command, { print }: Printing): void {
  const deletions = program
    .command('deletions')
    .description('accepted deletions that cannot be applied and were set aside');
  deletions
    .command('list <tenant>')
    .description('print them as an array, each with its reason')
    .action((tenant: string) => print((operator) => listSetAside(tenant, operator)));
  deletions
    .command('retry <tenant>')
    .description('apply them as of their acceptance, when the cause is mended: what was written since stays')
    .action((tenant: string) => print((operator) => retryDeletions(tenant, operator)));
}

function addDeadLetters(program: Command, { run, print }: Printing): void {
  const deadLetters = program
    .command('dead-letters')
    .description('messages that could not be handled; they are kept for 7 days')
    .addHelpText('after', ABOUT_DEAD_LETTERS);
  deadLetters
    .command('list')
    .description('print dead letters as an array, the oldest first, and leave them where they are')
    .option('--limit <n>', 'at most so many, up to 1000 (default: 100)')
    .addHelpText('after', ABOUT_DEAD_LETTERS)
    .action((options: { limit?: string }) => print((operator) => listDeadLetters(parseLimit(options), operator)));
  deadLetters
    .command('replay [ids...]')
    .description('publish dead letters to where they came from, then remove them; print them, one JSON object a line')
    .option('--all', 'all that there are when it begins, instead of ids')
    .addHelpText('after', ABOUT_DEAD_LETTERS)
    .action((ids: string[], options: { all?: boolean }) =>
      run((operator) => ({ lines: replayDeadLetters({ ids, ...options }, operator) })),
    );
  deadLetters
    .command('discard [ids...]')
    .description('print dead letters, one JSON object a line, then remove them for good')
    .option('--all', 'all that there are when it begins, instead of ids')
    .addHelpText('after', ABOUT_DEAD_LETTERS)
    .action((ids: string[], options: { all?: boolean }) =>
      run((operator) => ({ lines: discardDeadLetters({ ids, ...options }, operator) })),
    );
}

/** The names of the options that `withSettings` adds. */
const SETTING_OPTIONS = [
  'displayName',
  'customerIdentifier',
  'productIdentifier',
  'orderCustomer',
  'defaultLanguage',
  'required',
  'notifyTopic',
];

/** Adds the options of a tenant's settings. @param isNew whether an absent setting gets its default */
function withSettings(command: Command, { isNew }: { isNew: boolean }): Command {
  const byDefault = (value: string) => (isNew ? ` (default: ${value})` : '');
  return command
    .option('--display-name <text>', 'what operators call it, for searches; "" for none')
    .option('--customer-identifier <field>', `what matches customers: email or customerid${byDefault('email')}`)
    .option('--product-identifier <field>', `what identifies products: productid or sku${byDefault('productid')}`)
    .option('--order-customer <field>', `what names an order’s customer: email or customerid${byDefault('email')}`)
    .option('--default-language <tag>', 'given to customers created without one, such as en or pt-BR; "" for none')
    .option('--required <fields>', 'customer fields that are mandatory, such as Language,GdprOptin; "" for none')
    .option('--notify-topic <topic>', 'notified when a run ends, as projects/PROJECT/topics/TOPIC; "" for none');
}
