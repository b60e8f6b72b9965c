/** The commands about transfers, and about single runs of them. */
import type { Command } from 'commander';
import { MAX_LISTED_RUNS } from '../../../shared/limits/transfers';
import {
  listBadRows,
  listFiles,
  listRuns,
  replayRun,
  resumeTransfer,
  runTransfer,
} from '../../../shared/operations/transfers';
import { registerHistorical } from '../../../shared/operations/transfers/register-historical';
import { listFailingTransfers, listTransfers } from '../../../shared/operations/transfers/recurring';
import { scopeOf } from '../options';
import type { Columns, Printing } from '../printing';
import { ROW_COLUMNS, RUN_COLUMNS, startedRun, WATCH_DESCRIPTION, watchedRun } from './runs';

const JOB_COLUMNS = ['jobId', 'schedule', 'nextRun', 'bucketName', 'folderPaths'];
const FAILING_COLUMNS = ['jobId', 'failures', 'lastRun.startedAt', 'bucketName', 'folderPaths', 'lastRun.error'];

const FILE_COLUMNS: Columns = ['object', 'status', ROW_COLUMNS, 'error'];

export function addTransfers(program: Command, { run, print, list }: Printing): void {
  const transfers = program.command('transfers').description('transfers from tenants’ buckets');
  transfers
    .command('list [tenant]')
    .description('list the recurring jobs of a tenant with their schedule, bucket and folders')
    .option('--all', 'those of all tenants')
    .option('--failing', 'only those whose last run has failed, with the number of failures in a row and the error')
    .action((tenant: string | undefined, options: { all?: boolean; failing?: boolean }) =>
      options.failing
        ? list(FAILING_COLUMNS, (operator) => listFailingTransfers(scopeOf(tenant, options), operator))
        : list(JOB_COLUMNS, (operator) => listTransfers(scopeOf(tenant, options), operator)),
    );
  transfers
    .command('register-historical <tenant> <bucket>')
    .description('register the bucket for the tenant’s organization, read it once, and print the ids of job and run')
    .option('--folders <paths...>', 'only these folders (default: the whole bucket)')
    .option('--watch', WATCH_DESCRIPTION)
    .action(
      (tenant: string, bucketName: string, { folders = [], ...options }: { folders?: string[]; watch?: boolean }) =>
        run(async (operator) =>
          startedRun(
            await registerHistorical(tenant, { bucketName, folderPaths: folders }, operator),
            options,
            operator,
          ),
        ),
    );
  transfers
    .command('run <jobId>')
    .description('run a recurring job now, outside its schedule, and print the id of the run')
    .option('--watch', WATCH_DESCRIPTION)
    .action((jobId: string, options: { watch?: boolean }) =>
      run(async (operator) => startedRun(await runTransfer(jobId, operator), options, operator)),
    );
  transfers
    .command('runs <tenant>')
    .description(`list the newest ${MAX_LISTED_RUNS} runs of a tenant, newest first; runs list shows more`)
    .action((tenant: string) => list(RUN_COLUMNS, (operator) => listRuns(tenant, operator)));
  transfers
    .command('files <runId>')
    .description('list the files of a run, how far each is and why it failed')
    .action((runId: string) => list(FILE_COLUMNS, (operator) => listFiles(runId, operator)));
  transfers
    .command('report <runId>')
    .description('list the bad rows of a run')
    .action((runId: string) => list(['object', 'line', 'messages'], (operator) => listBadRows(runId, operator)));
  transfers
    .command('replay <runId>')
    .description('read the bad rows of a run again, from the files as they are now, and print the id of the new run')
    .option('--watch', WATCH_DESCRIPTION)
    .action((runId: string, options: { watch?: boolean }) =>
      run(async (operator) => startedRun(await replayRun(runId, operator), options, operator)),
    );
  transfers
    .command('resume <runId>')
    .description('hand out again what a running run still has to do, when its messages were lost')
    .action((runId: string) => print((operator) => resumeTransfer(runId, operator)));
  transfers
    .command('watch <runId>')
    .description(WATCH_DESCRIPTION)
    .action((runId: string) => run((operator) => watchedRun(runId, operator)));
}
