/** The operator's command line: `npm run --silent admin -- …`. */
import { runCommand } from './run';

// The reader of a pipe may leave early (`| head`): that is no error.
process.stdout.on('error', () => process.exit(0));

void runCommand(process.argv.slice(2), process).then((code) => {
  process.exitCode = code;
});
