/** The functions: whether they run the code of this checkout, as Terraform has them. */
import type { Json } from '../../../../shared/adapters/google-apis';
import type { Area, Setting } from '../area';
import type { Check, Subject } from '../subject';
import { blockOf, fieldOf, lastOf } from '../subject';
import { isKnown } from '../terraform/evaluate';
import { toText } from '../terraform/functions';
import type { Values } from '../terraform/module';

export const checkFunctions: Check = async (subject, area) => {
  const expected = subject.expected.resources('google_cloudfunctions2_function');
  for (const values of subject.functions ? expected : []) await checkFunction(values, subject, area);
  return `All ${expected.length} functions run what this checkout builds, with Terraform’s settings.`;
};

async function checkFunction(values: Values, subject: Subject, area: Area): Promise<void> {
  const [name, region] = [toText(values.name), toText(values.location)];
  const what = `The function ${name}`;
  const named = (subject.functions ?? []).filter((each) => lastOf(each.name) === name);
  const found = named.find((each) => locationOf(each) === region);
  if (!found) {
    const others = named.map(locationOf).join(', ');
    if (others === '') area.wrong(`${what} does not exist.`, subject.apply);
    else
      area.wrong(
        `${what} is in ${others}, not in ${region}.`,
        'give the variables of this environment: --var-file FILE',
      );
    return;
  }
  if (found.state !== 'ACTIVE') {
    const [reason] = ((found.stateMessages ?? []) as readonly Json[]).map(({ message }) => String(message));
    area.wrong(`${what} is ${String(found.state)}${reason === undefined ? '.' : `: ${reason}`}`, subject.apply);
  }
  checkVersion(what, values, found, area);
  area.compare(
    what,
    settingsOf(values, found),
    `${subject.apply}; to keep it instead, where it can be chosen: the variable functions.${name}`,
  );
  await checkTraffic(what, values, subject, area);
}

/** A source is named by its content (terraform/modules/function). */
function checkVersion(what: string, values: Values, found: Json, area: Area): void {
  const source = toText(blockOf(blockOf(blockOf(values.build_config).source).storage_source).object);
  const actual = fieldOf(found, 'buildConfig.source.storageSource.object');
  if (!isKnown(source) || actual === source) return;
  area.wrong(
    `${what} runs other code than this checkout builds (${shortOf(actual)} in place of ${shortOf(source)}).`,
    'check out what is deployed, and look again; or deploy this checkout: docs/releasing.md',
  );
}

function settingsOf(values: Values, found: Json): readonly Setting[] {
  const [build, service] = [blockOf(values.build_config), blockOf(values.service_config)];
  const environment = (service.environment_variables ?? {}) as Values;
  const actual = (name: string) => fieldOf(found, `serviceConfig.${name}`);
  const variables = (actual('environmentVariables') ?? {}) as Json;
  return [
    ['runtime', build.runtime, fieldOf(found, 'buildConfig.runtime')],
    ['entry_point', build.entry_point, fieldOf(found, 'buildConfig.entryPoint')],
    ['its identity', service.service_account_email, actual('serviceAccountEmail')],
    ['ingress', service.ingress_settings, actual('ingressSettings')],
    ['memory', service.available_memory, actual('availableMemory')],
    ['cpu', service.available_cpu, actual('availableCpu')],
    ['concurrency', service.max_instance_request_concurrency, actual('maxInstanceRequestConcurrency')],
    ['timeout_seconds', service.timeout_seconds, actual('timeoutSeconds')],
    ['min_instances', service.min_instance_count, actual('minInstanceCount') ?? 0],
    ['max_instances', service.max_instance_count, actual('maxInstanceCount')],
    ...Object.keys(environment).map((name) => [`the variable ${name}`, environment[name], variables[name]] as const),
  ];
}

/** A roll-back by hand sends requests to an earlier revision, whatever the function's source is. */
async function checkTraffic(what: string, values: Values, { project, google }: Subject, area: Area): Promise<void> {
  const [name, region] = [toText(values.name), toText(values.location)];
  const service = await area.look('where the functions’ requests go', () =>
    google.find({
      host: 'run.googleapis.com',
      path: `v2/projects/${project}/locations/${region}/services/${name}`,
      permission: 'run.services.get',
    }),
  );
  const traffic = (service?.traffic ?? []) as readonly Json[];
  const revisions = traffic.filter(({ revision, percent }) => revision !== undefined && percent !== undefined);
  if (revisions.length === 0) return;
  area.wrong(
    `${what} sends its requests to ${revisions.map(({ revision }) => lastOf(revision)).join(', ')}, not to the newest revision.`,
    `gcloud run services update-traffic ${name} --to-latest --region ${region} --project ${project}`,
  );
}

/** Of a name such as `projects/p/locations/europe-west1/functions/orders`. */
function locationOf({ name }: Json): string {
  return String(name).split('/')[3] ?? '';
}

/** Enough of `orders/<SHA-256>.zip` to tell it from another. */
function shortOf(source: unknown): string {
  return lastOf(source).slice(0, 12);
}
