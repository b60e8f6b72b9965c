import type { GoogleApis, Json } from '../../../shared/adapters/google-apis';
import type { Clock } from '../../../shared/platform/clock';
import type { Finding } from './area';
import { Area } from './area';
import { checkBacklog, checkService, checkDeadLetters, checkQuotas } from './checks/at-work';
import { checkDatabase, checkExpiry, checkIndexes } from './checks/database';
import { checkFunctions } from './checks/functions';
import { checkJobs, checkSubscriptions, checkTopics } from './checks/messaging';
import { checkApis, checkCustomRoles, checkIdentities } from './checks/project';
import { checkRoles } from './checks/roles';
import type { Check } from './subject';
import { fieldOf, lastOf } from './subject';
import type { Variables } from './terraform/deployment';
import { readDeployment } from './terraform/deployment';

export interface Examination {
  readonly project: string;
  /** The folder of Terraform's files, and the values of its variables. */
  readonly folder: string;
  readonly variables: Variables;
  readonly google: GoogleApis;
  readonly clock: Clock;
  /** The command that makes things as Terraform has them. */
  readonly apply: string;
  /** SHA-256 of what this checkout makes of each function. @throws Error when it cannot be built */
  readonly checksums: () => Promise<ReadonlyMap<string, string>>;
  readonly progress: (message: string) => void;
}

/** The area of which something is found before the others are looked at. */
const FUNCTIONS = 'functions';

/** The areas in the order in which they are told: what others rest on comes first. */
const CHECKS: readonly (readonly [area: string, check: Check])[] = [
  ['APIs', checkApis],
  ['identities', checkIdentities],
  ['custom roles', checkCustomRoles],
  ['roles', checkRoles],
  ['topics', checkTopics],
  ['subscriptions', checkSubscriptions],
  ['jobs', checkJobs],
  ['database', checkDatabase],
  ['indexes', checkIndexes],
  ['expiry', checkExpiry],
  [FUNCTIONS, checkFunctions],
  ['quotas', checkQuotas],
  ['service and clock', checkService],
  ['dead letters', checkDeadLetters],
  ['backlog', checkBacklog],
];

/** Looks at a deployment, and says what is wrong with it. It changes nothing. */
export async function examine(examination: Examination): Promise<readonly Finding[]> {
  const { project, folder, variables, google, progress } = examination;
  const [ofProject, ofFunctions] = [new Area('project'), new Area(FUNCTIONS)];

  progress('Looking at the project …');
  const projectNumber = await findNumber(examination, ofProject);
  const functions = await ofFunctions.look('the functions', () =>
    google.list(
      {
        host: 'cloudfunctions.googleapis.com',
        path: `v2/projects/${project}/locations/-/functions`,
        query: { pageSize: '100' },
        permission: 'cloudfunctions.functions.list',
      },
      'functions',
    ),
  );
  progress('Building the functions of this checkout …');
  const checksums = await findChecksums(examination, ofFunctions);
  const facts = { projectNumber, uris: urisOf(functions ?? []), checksums };
  const expected = readDeployment(folder, { ...variables, project_id: project }, facts);

  const findings = [...ofProject.findings(`The project ${project} is active.`)];
  for (const [name, check] of CHECKS) {
    progress(`Looking at ${name} …`);
    const area = name === FUNCTIONS ? ofFunctions : new Area(name);
    const ok = await check({ ...examination, expected, functions }, area);
    findings.push(...area.findings(ok));
  }
  return findings;
}

/** The number of the project, of which Google's own agents are named. */
async function findNumber({ project, google }: Examination, area: Area): Promise<string | undefined> {
  const found = await area.look('the project', () =>
    google.find({
      host: 'cloudresourcemanager.googleapis.com',
      path: `v3/projects/${project}`,
      permission: 'resourcemanager.projects.get',
    }),
  );
  if (!found) return undefined;
  if (found.state !== 'ACTIVE') {
    area.wrong(`The project ${project} is ${String(found.state)}.`, `gcloud projects undelete ${project}`);
  }
  return lastOf(found.name);
}

/** A function that was never built has no address. */
function urisOf(functions: readonly Json[]): ReadonlyMap<string, string> {
  const uris = new Map<string, string>();
  for (const found of functions) {
    const uri = fieldOf(found, 'serviceConfig.uri');
    if (typeof uri === 'string') uris.set(lastOf(found.name), uri);
  }
  return uris;
}

async function findChecksums({ checksums }: Examination, area: Area): Promise<ReadonlyMap<string, string>> {
  try {
    return await checksums();
  } catch (error) {
    area.unknown('the versions of the functions', `this checkout cannot be built (${(error as Error).message})`);
    return new Map();
  }
}
