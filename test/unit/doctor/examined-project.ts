/** A project that a test changes, and what doctor says of it. */
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { Json } from '../../../shared/adapters/google-apis';
import type { Finding } from '../../../functions/admin/doctor/area';
import { runDoctor } from '../../../functions/admin/doctor/run';
import { FixedClock } from '../../support/fixed-clock';
import { GoogleStandIn } from './google-stand-in';
import { CHECKSUMS, healthyProject, PROJECT, REGION } from './healthy-project';

const ROOT = join(__dirname, '../../..');
const HEALTHY = healthyProject();

/** Google as the project of the test that runs has it. */
export let google: GoogleStandIn;
let clock: FixedClock;

/** Gives each test of a file a project of its own, in which everything is as Terraform makes it. */
export function useProject(): void {
  beforeEach(async () => {
    google = new GoogleStandIn();
    google.answers = structuredClone(HEALTHY);
    clock = new FixedClock();
    google.nowMs = clock.nowMs();
    await google.start();
  });
  afterEach(() => google.stop());
}

interface Output {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function run(
  args: readonly string[],
  {
    checksums = () => Promise.resolve<ReadonlyMap<string, string>>(CHECKSUMS),
    isTTY = false,
    access = google.access(),
  } = {},
): Promise<Output> {
  const [stdout, stderr] = [aStream(isTTY), aStream(false)];
  const code = await runDoctor(
    args,
    { stdout: stdout.stream, stderr: stderr.stream },
    { access, clock, root: ROOT, checksums },
  );
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

function aStream(isTTY: boolean) {
  const written: string[] = [];
  const write = (chunk: Buffer, _encoding: string, done: () => void) => {
    written.push(chunk.toString());
    done();
  };
  const stream = Object.assign(new Writable({ write }), { isTTY, ...(isTTY && { hasColors: () => true }) });
  return { stream, text: () => written.join('') };
}

/** What is not ok, and the exit code. */
export async function examine(
  options?: Parameters<typeof run>[1],
): Promise<{ readonly code: number; readonly findings: readonly Finding[] }> {
  const { code, stdout } = await run(['--project', PROJECT, '--json'], options);
  const { findings } = JSON.parse(stdout) as { findings: readonly Finding[] };
  return { code, findings: findings.filter(({ verdict }) => verdict !== 'ok') };
}

/** The answer at an address, to be changed. */
export function answer(address: string): Record<string, unknown> {
  const found = google.answers.get(address);
  if (!found) throw new Error(`The healthy project has no ${address}.`);
  return found;
}

/** The element of the only list of an answer that this is true of. */
export function element(address: string, field: string, isIt: (each: Json) => boolean): Record<string, unknown> {
  const found = (answer(address)[field] as Json[]).find(isIt);
  if (!found) throw new Error(`The healthy project has no such element in ${address}.`);
  return found;
}

export function remove(address: string, field: string, isIt: (each: Json) => boolean): void {
  const list = answer(address)[field] as Json[];
  const rest = list.filter((each) => !isIt(each));
  if (rest.length === list.length) throw new Error(`The healthy project has no such element in ${address}.`);
  answer(address)[field] = rest;
}

export const account = (name: string) => `${name}@${PROJECT}.iam.gserviceaccount.com`;
export const SERVICES = `serviceusage.googleapis.com/v1/projects/${PROJECT}/services?state:ENABLED`;
export const ACCOUNTS = `iam.googleapis.com/v1/projects/${PROJECT}/serviceAccounts`;
export const PROJECT_ROLES = `cloudresourcemanager.googleapis.com/v3/projects/${PROJECT}:getIamPolicy`;
export const PUBSUB = `pubsub.googleapis.com/v1/projects/${PROJECT}`;
export const PUSH = `${PUBSUB}/subscriptions/deletion-consumer`;
export const JOBS = `cloudscheduler.googleapis.com/v1/projects/${PROJECT}/locations/${REGION}/jobs`;
export const DATABASE = `firestore.googleapis.com/v1/projects/${PROJECT}/databases/(default)`;
export const INDEXES = `${DATABASE}/collectionGroups/-/indexes`;
export const FIELDS = `${DATABASE}/collectionGroups/-/fields?indexConfig.usesAncestorConfig:false`;
export const EXPIRY = `${DATABASE}/collectionGroups/-/fields?ttlConfig:*`;
export const FUNCTIONS = `cloudfunctions.googleapis.com/v2/projects/${PROJECT}/locations/-/functions`;
export const SERVICE = `run.googleapis.com/v2/projects/${PROJECT}/locations/${REGION}/services`;

export const named =
  (end: string) =>
  ({ name }: Json) =>
    String(name).endsWith(`/${end}`);
export const grantTo = (address: string, role: string, member: string) =>
  (answer(address).bindings as Json[]).push({ role, members: [member] });
export const aFunction = (name: string) => element(FUNCTIONS, 'functions', named(`functions/${name}`));
export const ofFunction = (name: string, part: string) => aFunction(name)[part] as Record<string, unknown>;
export const aField = (address: string, name: string) =>
  element(address, 'fields', named(`collectionGroups/${name.replace('/', '/fields/')}`));
export const revoke = (address: string, role: string) =>
  remove(address, 'bindings', (binding) => binding.role === role);

export const APPLY = 'cd terraform && terraform apply -var-file=FILE';
