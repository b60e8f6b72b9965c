/** The commands, their options and their help. */
import { Argument, Command, Option } from 'commander';
import { version } from '../../package.json';
import { RECORD_KINDS } from '../../../shared/domain/identity';
import { FILE_FORMATS } from '../../../shared/files/file-kind';
import type { ConnectionOptions } from './connection';
import type { Context, ExitCode, FileOptions } from './files';
import { checkFile, deleteFile, pushFile } from './files';
import type { World } from './output/terminal';
import {
  cancelRun,
  listFiles,
  listRuns,
  listTransfers,
  preview,
  printErrors,
  register,
  replayRun,
  showRun,
  startTransfer,
  unregister,
} from './runs';

/** Runs a command's work with a connection by the options. */
export type Run = (options: ConnectionOptions, work: (context: Context) => Promise<ExitCode>) => Promise<void>;

const ABOUT = `
The key is read from INGEST_KEY, or from a file that only you can read (--key-file). It is never an argument.
Data goes to stdout: a table on a terminal, JSON lines otherwise. Everything else goes to stderr.
Exit codes: 0 all rows are done, 1 some were rejected, 2 the command could not do its work.
`;

const ABOUT_FILES = `
Files are CSV, NDJSON, JSON or Avro, also compressed with gzip or the only one in a ZIP archive (NAME.csv.zip), or Parquet,
in the formats of transfers; - reads stdin, but for archives and Parquet.
`;

/**
 * Builds the program. It throws a CommanderError where commander would end the process.
 */
export function buildProgram(run: Run, { stdout, stderr }: Pick<World, 'stdout' | 'stderr'>): Command {
  const program = new Command('ingest')
    .exitOverride()
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) })
    .description('Sends files to the data ingestion service, and looks after transfers.')
    .version(version)
    .option('--url <url>', 'where the service is (default: INGEST_URL)')
    .option('--key-file <file>', 'a file with the key, of mode 600 (default: the key is in INGEST_KEY)')
    .showHelpAfterError('(add --help for the usage)')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', ABOUT);
  const start = (work: (context: Context) => Promise<ExitCode>) => run(program.opts<ConnectionOptions>(), work);
  addFiles(program, start);
  addRuns(program, start);
  addTransfers(program, start);
  return program;
}

type Start = (work: (context: Context) => Promise<ExitCode>) => Promise<void>;
type Watching = { readonly watch?: boolean };

const kindArgument = () => new Argument('<kind>', 'what the file holds').choices([...RECORD_KINDS]);

function addFiles(program: Command, start: Start): void {
  withFileOptions(program.command('push').description('store the rows of a file, and delete what has DeletedAt'))
    .addArgument(kindArgument())
    .argument('<file>', 'a file, or - for stdin')
    .option('--resume', 'go on where an interrupted push of the file has ended')
    .option('--bad-rows <file>', 'where rejected rows go (default: beside the file, as NAME.bad.csv)')
    .addHelpText(
      'after',
      `${ABOUT_FILES}
Rejected rows are written as they were, with their messages beside them in _errors. Mend them and push that file.
Rows count as written now: UpdatedAt is not looked at. Keep rows with DeletedAt together: each change between rows that
store and rows that delete waits for the answers before it.

Examples:
  ingest push customers export.csv.gz --tenant 6f9619ff-8b86-d011-b42d-00cf4fc964ff
  ingest push customers export.csv.gz --tenant … --resume
  zcat orders.ndjson.gz | ingest push orders - --format ndjson --tenant …`,
    )
    .action((kind: string, file: string, options: FileOptions) =>
      start((context) => pushFile(kind, file, options, context)),
    );
  withFileOptions(program.command('check').description('validate the rows of a file, and store nothing'))
    .argument('<file>', 'a file, or - for stdin')
    .addOption(new Option('--kind <kind>', 'what it holds (default: as its name begins)').choices([...RECORD_KINDS]))
    .option('--bad-rows <file>', 'write rejected rows there, as push does')
    .addHelpText(
      'after',
      `${ABOUT_FILES}
Prints a line for each bad row.

Examples:
  ingest check customers.csv --tenant 6f9619ff-8b86-d011-b42d-00cf4fc964ff
  ingest check export.csv --kind orders --tenant … | jq -r .line`,
    )
    .action((file: string, options: FileOptions) => start((context) => checkFile(file, options, context)));
  withFileOptions(program.command('delete').description('delete what the rows of a file name'))
    .addArgument(kindArgument())
    .argument('<file>', 'a file, or - for stdin')
    .option('--yes', 'delete: without it the rows are checked, and the exit code is 2')
    .option('--resume', 'go on where an interrupted deletion has ended')
    .option('--bad-rows <file>', 'where rejected rows go (default: beside the file, as NAME.bad.csv)')
    .addHelpText(
      'after',
      `${ABOUT_FILES}
A row names a customer by Email or CustomerId, a product by ProductId, a variant also by VariantId, an order by OrderId,
an item also by ProductId or Sku.

Examples:
  ingest delete customers gone.csv --tenant 6f9619ff-8b86-d011-b42d-00cf4fc964ff --yes
  echo '{"OrderId":"1001","Sku":"cup-1"}' | ingest delete orders - --format ndjson --tenant … --yes`,
    )
    .action((kind: string, file: string, options: FileOptions) =>
      start((context) => deleteFile(kind, file, options, context)),
    );
}

function withFileOptions(command: Command): Command {
  return command
    .requiredOption('--tenant <id>', 'the tenant')
    .addOption(new Option('--format <format>', 'of the file (default: by its name)').choices([...FILE_FORMATS]));
}

function addRuns(program: Command, start: Start): void {
  program
    .command('runs')
    .description('list the runs of transfers, the newest first')
    .requiredOption('--tenant <id>', 'the tenant')
    .option('--status <status>', 'only running, succeeded, partial, failed or cancelled ones')
    .option('--job <jobId>', 'only those of a recurring transfer')
    .option('--limit <n>', 'at most so many', '20')
    .addHelpText('after', '\nExample:\n  ingest runs --tenant … --status partial | jq -r .RunId')
    .action((options: { tenant: string; limit: string }) => start((context) => listRuns(options, context)));
  program
    .command('run <runId>')
    .description('show a run; the exit code is 0, 1 where it ended partial, 2 where it failed or was cancelled')
    .option('--watch', 'show its progress until it ends')
    .addHelpText('after', '\nExample:\n  ingest run RUNID --watch && echo loaded')
    .action((runId: string, options: Watching) => start((context) => showRun(runId, options, context)));
  program
    .command('files <runId>')
    .description('list the files of a run, how far each is and why it failed')
    .option('--status <status>', 'only waiting, running, finished, failed or skipped ones')
    .addHelpText('after', '\nExample:\n  ingest files RUNID --status failed')
    .action((runId: string, options: { status?: string }) => start((context) => listFiles(runId, options, context)));
  program
    .command('errors <runId>')
    .description('print the bad rows of a run')
    .option('--object <name>', 'only those of this object')
    .addOption(new Option('--format <format>', 'csv for people').choices(['csv', 'ndjson']).default('csv'))
    .addHelpText('after', '\nExample:\n  ingest errors RUNID > bad.csv')
    .action((runId: string, options: { format: string }) => start((context) => printErrors(runId, options, context)));
  program
    .command('replay <runId>')
    .description('read the bad rows of a run again, from the files as they are now')
    .option('--watch', 'show its progress until it ends')
    .addHelpText('after', '\nExample:\n  ingest replay RUNID --watch')
    .action((runId: string, options: Watching) => start((context) => replayRun(runId, options, context)));
  program
    .command('cancel <runId>')
    .description('end a run; what it has stored stays')
    .addHelpText('after', '\nExample:\n  ingest cancel RUNID')
    .action((runId: string) => start((context) => cancelRun(runId, context)));
}

function addTransfers(program: Command, start: Start): void {
  program
    .command('preview <bucket>')
    .description('say what a historical transfer would do, and store nothing')
    .requiredOption('--tenant <id>', 'the tenant')
    .option('--folder <prefixes...>', 'read only these prefixes of object names')
    .option('--sample <n>', 'read so many rows of each file')
    .option('--watch', 'show its progress until it ends')
    .addHelpText('after', '\nExample:\n  ingest preview acme-exports --tenant … --folder crm/ --watch')
    .action((bucket: string, options: { tenant: string }) => start((context) => preview(bucket, options, context)));
  program
    .command('transfers')
    .description('list the recurring transfers')
    .requiredOption('--tenant <id>', 'the tenant')
    .addHelpText('after', '\nExample:\n  ingest transfers --tenant …')
    .action((options: { tenant: string }) => start((context) => listTransfers(options, context)));
  program
    .command('register')
    .description('transfer files from a bucket: once, daily, hourly, or when they are uploaded (live)')
    .addArgument(new Argument('<kind>', 'how often').choices(['historical', 'daily', 'hourly', 'live']))
    .argument('<bucket>', 'the bucket')
    .requiredOption('--tenant <id>', 'the tenant')
    .option('--folder <prefixes...>', 'read only these prefixes of object names')
    .option('--at <time>', 'when it starts, in UTC: 03:30 of a daily transfer, minute 30 of an hourly one')
    .addHelpText('after', '\nExample:\n  ingest register daily acme-exports --tenant … --folder crm/ --at 03:30')
    .action((kind: string, bucket: string, options: { tenant: string }) =>
      start((context) => register(kind, bucket, options, context)),
    );
  program
    .command('unregister <jobId>')
    .description('end a recurring transfer')
    .addHelpText('after', '\nExample:\n  ingest unregister JOBID')
    .action((jobId: string) => start((context) => unregister(jobId, context)));
  program
    .command('start <jobId>')
    .description('read the files of a recurring transfer now')
    .option('--watch', 'show its progress until it ends')
    .addHelpText('after', '\nExample:\n  ingest start JOBID --watch')
    .action((jobId: string, options: Watching) => start((context) => startTransfer(jobId, options, context)));
}
