/** The operator's command line: `npm run --silent admin -- …`. */
import { runCommand } from './run';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0); // the reader of a pipe may stop early (`| head`)
  process.stderr.write(`The output cannot be written: ${error.message}\n`);
  process.exit(1);
});

void runCommand(process.argv.slice(2), process).then((code) => {
  process.exitCode = code;
  // The SDKs may go on after a failure, for example looking for credentials. Exit instead of waiting for them.
  if (code !== 0) process.stdout.write('', () => process.stderr.write('', () => process.exit()));
});
