/** The commands, their options and their help. What a command does is a use case of shared/operations. */
import { Command } from 'commander';
import { allowNotifications, listBuckets, releaseOwnedBucket, showBucket } from '../../shared/operations/buckets';
import { listSetAside, retryDeletions } from '../../shared/operations/deletions';
import {
  discardDeadLetters,
  listDeadLetters,
  replayDeadLetters,
} from '../../shared/operations/dead-letters/dead-letters';
import { countRecords, exportRecords, getRecord } from '../../shared/operations/records';
import { exportPerson } from '../../shared/operations/person';
import { replayDeletions } from '../../shared/operations/restore';
import { showUsage, sumAllUsage } from '../../shared/operations/usage';
import { addAudit } from './commands/audit';
import { addKeys } from './commands/keys';
import { addRuns } from './commands/runs';
import { addTenants } from './commands/tenants';
import { addTransfers } from './commands/transfers';
import type { ConnectionOptions } from './connection';
import type { ReplayTexts, UsageTexts } from './options';
import { nameFlag, parseKind, parseLimit, parseReplayOptions, parseUsageOptions } from './options';
import type { Printing, Run, Terminal } from './printing';
import { printingBy } from './printing';

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
    .description(
      'Looks after tenants, keys and stored records. Prints JSON, and lists as tables on a terminal or as one JSON object a line where they pipe; messages go to stderr.',
    )
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
  const printing = printingBy(run);

  addTenants(program, printing);
  addKeys(program, printing);
  addRecords(program, printing);
  addTransfers(program, printing);
  addRuns(program, printing);
  addBuckets(program, printing);
  addDeletions(program, printing);
  addDeadLetters(program, printing);
  addRestore(program, printing);
  addUsage(program, printing);
  addAudit(program, printing);
  return program;
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

function addBuckets(program: Command, { print, list }: Printing): void {
  const buckets = program.command('buckets').description('which organization a bucket belongs to');
  buckets
    .command('list')
    .description('list all registered buckets with their organizations')
    .action(() => list(['bucketName', 'organizationId'], (operator) => listBuckets(operator)));
  buckets
    .command('show <name>')
    .description('print the organization that a bucket belongs to')
    .action((name: string) => print((operator) => showBucket(name, operator)));
  buckets
    .command('release <name>')
    .description('give a bucket back, so that another organization can register it')
    .action((name: string) => print((operator) => releaseOwnedBucket(name, operator)));
  buckets
    .command('allow-notifications <name>')
    .description('let Cloud Storage tell the service of uploads to the buckets of a project, for live transfers')
    .requiredOption('--project-number <number>', "the number of the bucket's project, as its owner tells it")
    .action((name: string, { projectNumber }: { readonly projectNumber: string }) =>
      print((operator) => allowNotifications(name, projectNumber, operator)),
    );
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

function addDeletions(program: Command, { print, list }: Printing): void {
  const deletions = program
    .command('deletions')
    .description('accepted deletions that cannot be applied and were set aside');
  deletions
    .command('list <tenant>')
    .description('list them, each with its reason')
    .action((tenant: string) =>
      list(['deletionId', 'kind', 'acceptedAt', 'setAsideAt', 'reason'], (operator) => listSetAside(tenant, operator)),
    );
  deletions
    .command('retry <tenant>')
    .description('apply them as of their acceptance, when the cause is mended: what was written since stays')
    .action((tenant: string) => print((operator) => retryDeletions(tenant, operator)));
}

function addDeadLetters(program: Command, { run, list }: Printing): void {
  const deadLetters = program
    .command('dead-letters')
    .description('messages that could not be handled; they are kept for 7 days')
    .addHelpText('after', ABOUT_DEAD_LETTERS);
  deadLetters
    .command('list')
    .description('list dead letters, the oldest first, and leave them where they are')
    .option('--limit <n>', 'at most so many, up to 1000 (default: 100)')
    .addHelpText('after', ABOUT_DEAD_LETTERS)
    .action((options: { limit?: string }) =>
      list(['id', 'function', 'topic', 'publishedAt', 'attempts', 'reason'], (operator) =>
        listDeadLetters(parseLimit(options), operator),
      ),
    );
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

function addUsage(program: Command, { print }: Printing): void {
  program
    .command('usage [tenant]')
    .description(
      'print the requests, records, deletions and errors of a tenant by hour, or by day, by key and by route; or of all tenants, with those that stand out',
    )
    .option('--from <time>', 'such as 2026-11-20 or 2026-11-20T10:00:00Z (default: a day before the end)')
    .option('--to <time>', 'what follows is before this time (default: now)')
    .option('--all', 'all tenants, instead of one')
    .option('--top <n>', 'with --all: the tenants with the most requests, records and errors (default: 10)')
    .action((tenant: string | undefined, texts: UsageTexts) =>
      print((operator) => {
        const { tenant: guid, ...options } = parseUsageOptions(tenant, texts);
        return guid === undefined ? sumAllUsage(options, operator) : showUsage(guid, options, operator);
      }),
    );
}
