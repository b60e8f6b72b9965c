/** `npm run doctor`: says what is wrong with a deployment. */
import { createHash } from 'node:crypto';
import { googleAccess } from '../../../shared/adapters/google-apis';
import { systemClock } from '../../../shared/platform/clock';
import { buildArtifact } from '../../build/artifact';
import { deployedFunctions } from '../../build/deployed-functions';
import { runDoctor } from './run';

/** npm runs the program in the project's folder. */
void runDoctor(process.argv.slice(2), process, {
  access: googleAccess(),
  clock: systemClock,
  root: process.cwd(),
  checksums,
}).then((code) => {
  process.exitCode = code;
});

/** The same sources give the same bytes in any folder, so that a build tells what is deployed. */
async function checksums(root: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const name of deployedFunctions(root)) {
    const { zip } = await buildArtifact(root, name);
    found.set(name, createHash('sha256').update(zip).digest('hex'));
  }
  return found;
}
