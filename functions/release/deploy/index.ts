/** `npm run deploy`: deploys releases with Terraform. npm runs the program in the project's folder. */
import { Command } from 'commander';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchRelease } from '../fetch-release';
import { outputOf } from '../programs';
import type { Release } from '../release';
import { readRelease } from '../release';
import { applyRelease } from './apply-release';
import { Deployment } from './deployment';
import { toPlanReport } from './plan-report';

interface Options {
  readonly environment: string;
  readonly config: string;
  readonly release: string;
}

const program = new Command('npm run deploy --')
  .description('Deploys releases with Terraform. docs/releasing.md has the path of a change to production.')
  .showHelpAfterError('(add --help for the usage)');

command('plan', 'say what deploying a release would change')
  .option('--comment', 'write it as a comment to the commit on GitHub, too (needs gh)', false)
  .action(({ environment, config, release: folder, comment }: Options & { comment: boolean }) => {
    const release = readRelease(folder);
    const plan = Deployment.with(release, { name: environment, config }, (deployment) => deployment.plan());
    const report = toPlanReport(release.origin, environment, plan);
    process.stdout.write(report);
    const address = `repos/{owner}/{repo}/commits/${release.origin.commit}/comments`;
    if (comment) outputOf('gh', ['api', address, '--field', 'body=@-'], { input: report });
  });

command('apply', 'deploy a release and run the smoke test; where either fails, deploy the release before again')
  .option('--previous <folder>', 'where the release is that is deployed now (default: it is fetched from GitHub by gh)')
  .action(({ environment, config, release: folder, previous }: Options & { previous?: string }) => {
    const release = readRelease(folder);
    applyRelease(release, { name: environment, config }, (name) => findPrevious(name, previous));
    process.stdout.write(`${release.origin.release} is on ${environment}, and passes the smoke test.\n`);
  });

program.parseAsync().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});

function command(name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .requiredOption('--environment <name>', 'the name of its <name>.tfvars, and the prefix of its state')
    .requiredOption(
      '--config <folder>',
      'with backend.tf, <name>.tfvars and .terraform.lock.hcl; also gs://bucket/folder',
    )
    .option('--release <folder>', 'as npm run release makes or fetches it', 'dist/release');
}

/** @throws Error when the folder has another release than the one that is deployed */
function findPrevious(name: string, folder: string | undefined): Release {
  if (folder === undefined) return fetched(name);
  const release = readRelease(folder);
  if (release.origin.release === name) return release;
  throw new Error(`${folder} has ${release.origin.release}; ${name} is deployed.`);
}

function fetched(name: string): Release {
  const folder = mkdtempSync(join(tmpdir(), 'previous-release-'));
  try {
    return fetchRelease(name, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
