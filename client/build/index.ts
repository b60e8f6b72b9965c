/** `npm run build:client`: makes `client/dist`. npm runs the program in the project's folder. */
import { Command } from 'commander';
import { resolve } from 'node:path';
import { buildClient } from './build';

new Command('npm run build:client --')
  .description('Makes the package of the client, ready for npm pack. The same sources give the same bytes.')
  .option('--out <folder>', 'what is there is replaced', 'client/dist')
  .showHelpAfterError('(add --help for the usage)')
  .action(({ out }: { out: string }) => buildClient(resolve('client'), resolve(out)))
  .parseAsync()
  .catch((error: unknown) => {
    process.stderr.write(`The build failed: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
