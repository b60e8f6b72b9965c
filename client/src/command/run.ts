import { CommanderError } from 'commander';
import { connect } from './connection';
import type { ExitCode } from './files';
import { explain } from './output/explain';
import type { World } from './output/terminal';
import { Terminal } from './output/terminal';
import { buildProgram } from './program';

/** Runs the command that the arguments name. Resolves with the exit code; errors are told on stderr. */
export async function runCommand(args: readonly string[], world: World): Promise<ExitCode> {
  const terminal = new Terminal(world);
  let code: ExitCode = 0;
  const program = buildProgram(async (options, work) => {
    const connection = connect(options, world.env, world.platform);
    code = await work({ connection, world, terminal });
  }, world);
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2; // commander has printed why
    terminal.say(explain(error), 'red');
    return 2;
  }
}
