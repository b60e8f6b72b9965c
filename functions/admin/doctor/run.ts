import { Command, CommanderError } from 'commander';
import { resolve } from 'node:path';
import type { GoogleAccess } from '../../../shared/adapters/google-apis';
import { GoogleApis } from '../../../shared/adapters/google-apis';
import type { Clock } from '../../../shared/platform/clock';
import { explainCredentials } from '../credentials';
import type { Terminal } from '../printing';
import { Progress } from '../progress';
import { toTerminalJson } from '../terminal-json';
import type { Verdict } from './area';
import { examine } from './examine';
import { toReport, verdictOf } from './report';
import type { Variables } from './terraform/deployment';
import { readVariables } from './terraform/deployment';
import { toText } from './terraform/functions';

/** What the command works with. Tests have stand-ins. */
export interface Means {
  readonly access: GoogleAccess;
  readonly clock: Clock;
  /** The project's folder. */
  readonly root: string;
  /** SHA-256 of what a checkout makes of each function. @throws Error when it cannot be built */
  readonly checksums: (root: string) => Promise<ReadonlyMap<string, string>>;
}

interface Options {
  readonly project: string;
  readonly varFile?: readonly string[];
  readonly json?: true;
}

const EXIT_CODES: Readonly<Record<Verdict, number>> = { ok: 0, wrong: 1, unknown: 2 };

const ABOUT = `
It compares the project with terraform/ and the code of this checkout: check out what is deployed, and name the files
that terraform apply gets (--var-file), or it expects the defaults. Every call only reads. docs/operating.md,
"Something is wrong", has the roles that it needs.

Exit codes: 0 all is well; 1 something is wrong; 2 nothing is known to be wrong, but something could not be looked at,
or the command was not understood.
`;

/** Runs the command. @returns the exit code */
export async function runDoctor(args: readonly string[], terminal: Terminal, means: Means): Promise<number> {
  const { stdout, stderr } = terminal;
  const program = new Command('npm run doctor --')
    .exitOverride()
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) })
    .description('Says what is wrong with a deployment, in words, and what to do.')
    .requiredOption('--project <id>', 'the Google Cloud project (application default credentials)')
    .option('--var-file <files...>', 'the variables of Terraform, such as terraform/prod.tfvars')
    .option('--json', 'print one JSON document instead of a table')
    .addHelpText('after', ABOUT)
    .showHelpAfterError('(add --help for the usage)');
  try {
    program.parse(args, { from: 'user' });
    return await run(program.opts<Options>(), terminal, means);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_CODES.unknown;
    const { message } = error as Error;
    stderr.write(`${explainCredentials(message) ?? `The command failed: ${message}`}\n`);
    return EXIT_CODES.unknown;
  }
}

async function run(
  { project, varFile = [], json }: Options,
  { stdout, stderr }: Terminal,
  means: Means,
): Promise<number> {
  const variables = Object.assign({}, ...varFile.map((file) => readVariables(resolve(file)))) as Variables;
  const { project_id: other = project } = variables;
  if (other !== project) throw new Error(`--var-file is of the project ${toText(other)}, and --project of ${project}.`);
  const { access, clock, root } = means;
  await access.headers(); // without credentials there is nothing to look at
  const progress = new Progress(stderr, clock);
  const files = varFile.length === 0 ? [' -var-file=FILE'] : varFile.map((file) => ` -var-file=${resolve(file)}`);
  const examination = {
    project,
    folder: resolve(root, 'terraform'),
    variables,
    google: new GoogleApis(access, clock),
    clock,
    apply: `cd terraform && terraform apply${files.join('')}`,
    checksums: () => means.checksums(root),
    progress: (message: string) => progress.show(message),
  };
  const findings = await examine(examination).finally(() => progress.clear());
  const verdict = verdictOf(findings);
  if (json) stdout.write(`${toTerminalJson({ project, verdict, findings }, 2)}\n`);
  else stdout.write(toReport(findings, stdout.hasColors?.() ?? false));
  return EXIT_CODES[verdict];
}
