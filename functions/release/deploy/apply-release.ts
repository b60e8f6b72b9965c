import { run } from '../programs';
import type { Release } from '../release';
import type { Environment, Outputs } from './deployment';
import { Deployment } from './deployment';

/**
 * Deploys a release and tries it out. Where either fails, the release that was deployed before is deployed again, with
 * its own Terraform code. That one is at hand before anything is changed.
 *
 * @param findRelease gets the release of a name
 * @throws Error always when the new release is not deployed and tried out; it says what is deployed now
 */
export function applyRelease(release: Release, environment: Environment, findRelease: (name: string) => Release): void {
  Deployment.with(release, environment, (deployment) => {
    const { release: deployed = null } = deployment.outputs();
    const isThis = deployed === release.origin.release;
    const before = deployed === null || isThis ? null : findRelease(deployed);
    try {
      deployment.apply();
      tryOut(deployment.outputs());
    } catch (error) {
      const failure = `${release.origin.release} on ${environment.name}: ${toMessage(error)}`;
      if (before) throw new Error(`${failure}\n${rollBack(before, environment)}`, { cause: error });
      const reason = isThis ? 'it was deployed before' : 'no release was deployed before';
      throw new Error(`${failure}\nNothing was rolled back: ${reason}.`, { cause: error });
    }
  });
}

/** Deploys what was deployed before, tries it out, and says how that went. */
function rollBack(release: Release, environment: Environment): string {
  const { release: name } = release.origin;
  process.stderr.write(`Rolling ${environment.name} back to ${name}\n`);
  try {
    Deployment.with(release, environment, (deployment) => {
      deployment.apply();
      tryOut(deployment.outputs());
    });
    return `Rolled back to ${name}, which passes the smoke test.`;
  } catch (error) {
    return `The roll-back to ${name} failed, too: ${toMessage(error)}`;
  }
}

/** The smoke test, with the operator's environment of the deployment. @throws Error when it fails */
function tryOut({ base_url: url = '', project_id: project = '', operator_environment: variables = {} }: Outputs): void {
  const settings = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  run('env', [...settings, 'npm', 'run', '--silent', 'smoke', '--', '--base-url', url, '--project', project]);
}

function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
