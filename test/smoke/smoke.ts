/** `npm run smoke`: whether a service that runs already works, by a shop of its own through every route. */
import { Command } from 'commander';
import { explain } from '../../functions/admin/run';
import { Terminal } from '../demo/terminal';
import { onSignals } from '../local/signals';
import type { SmokeOptions } from './run-smoke';
import { EXIT, runSmoke } from './run-smoke';

const interruption = new AbortController();
const terminal = new Terminal(process.stdout, process.env);

new Command('npm run smoke --')
  .description(
    [
      'Tests a service that runs: sends a sample shop of a few hundred records through every route, with tenants, keys',
      'and a bucket of its own, lets transfers read files, compares every stored record with what is expected, and',
      'removes what it made. Takes less than two minutes.',
    ].join(' '),
  )
  .option('--base-url <url>', 'where the service is called (default: the gateway of the local stack)')
  .option('--project <id>', 'its Google Cloud project (application default credentials); needs --base-url')
  .option('--config <file>', 'the local stack’s configuration, without --project', 'emulator.config.json')
  .showHelpAfterError('(add --help for the usage)')
  .addHelpText(
    'after',
    [
      '',
      'Exit code:',
      '  0    all is as expected, and removed',
      '  1    something differs, cannot be reached or could not be removed',
      '  130  interrupted: Ctrl-C ends it and removes what it made, a second Ctrl-C does not',
      '',
      'Its tenants are marked as erased and hold nothing at its end; a smoke test that begins a quarter of an hour later,',
      'or later, removes what is left of them, and everything of one that was killed.',
      'Progress and colours are shown on a terminal only; NO_COLOR=1 turns the colours off.',
    ].join('\n'),
  )
  .action(run)
  .parseAsync()
  .catch((error: unknown) => {
    terminal.progress(undefined);
    process.stderr.write(`${explain(error)}\n`, () => process.exit(EXIT.failed));
  });

async function run(options: SmokeOptions): Promise<void> {
  onSignals(() => interruption.abort(), stopAtOnce);
  const code = await runSmoke(options, terminal, interruption.signal);
  process.stdout.write('', () => process.exit(code)); // when all that was written has reached the reader
}

function stopAtOnce(): void {
  terminal.progress(undefined);
  terminal.line('Not all was removed. A smoke test that begins in a quarter of an hour or later does that.');
  process.exit(EXIT.interrupted);
}

// Whoever reads the output may leave early (`| head`): what was made is removed nevertheless.
process.stdout.on('error', () => interruption.abort());
