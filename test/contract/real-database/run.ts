/** `npm run test:contract -- --project ID`: whether a real Firestore keeps the promises that the service relies on. */
import { Command } from 'commander';
import { runContract } from './run-contract';
import { databasesOf } from './throwaway-databases';

new Command('npm run test:contract --')
  .description('Runs the contract of the store on a database of its own in a project, and removes that database.')
  .requiredOption('--project <id>', 'the Google Cloud project (application default credentials)')
  .action(({ project }: { project: string }) => run(project))
  .parseAsync()
  .catch((error: unknown) => {
    const { message, cause } = error as Error;
    process.stderr.write(`${message}${cause instanceof Error ? ` (${cause.message})` : ''}\n`);
    process.exitCode = 1;
  });

async function run(projectId: string): Promise<void> {
  const databases = databasesOf(projectId);
  const { FIRESTORE_EMULATOR_HOST: _, ...env } = process.env;
  const say = (message: string) => process.stderr.write(`${message}\n`);
  try {
    process.exitCode = await runContract({ projectId, databases, env, output: 'inherit', say });
  } finally {
    await databases.close();
  }
}
