/** Who may do what: that all grants of Terraform are there, and nothing broader. */
import type { Json, Look } from '../../../../shared/adapters/google-apis';
import { inParallel } from '../../../../shared/platform/async/in-parallel';
import { LOOKS_AT_ONCE } from '../../../../shared/limits/doctor';
import type { Area } from '../area';
import type { Check, Subject } from '../subject';
import { blockOf, lastOf } from '../subject';
import { isKnown } from '../terraform/evaluate';
import { toText } from '../terraform/functions';
import type { Values } from '../terraform/module';

/** Something that roles are granted on. */
interface Place {
  readonly what: string;
  readonly policy: Look;
  /** The beginning of the command that takes a role away. */
  readonly revoke: string;
  /** Its command asks which condition is meant, unless it is told. */
  readonly hasConditions?: boolean;
}

interface Grant {
  readonly role: string;
  readonly member: string;
  /** The expression of its condition; empty: none. */
  readonly condition: string;
}

const VERSION = { 'options.requestedPolicyVersion': '3' }; // with conditions

/** Where a grant of Terraform is, by the type of its resource. */
const PLACES: Readonly<Record<string, (values: Values, project: string) => Place>> = {
  google_project_iam_member: (_, project) => ({
    what: 'the project',
    policy: {
      host: 'cloudresourcemanager.googleapis.com',
      path: `v3/projects/${project}:getIamPolicy`,
      permission: 'resourcemanager.projects.getIamPolicy',
      policyRequest: JSON.stringify({ options: { requestedPolicyVersion: 3 } }),
    },
    revoke: `gcloud projects remove-iam-policy-binding ${project}`,
    hasConditions: true,
  }),
  google_pubsub_topic_iam_member: ({ topic }, project) => pubSub('topics', lastOf(topic), project),
  google_pubsub_subscription_iam_member: ({ subscription }, project) =>
    pubSub('subscriptions', lastOf(subscription), project),
  google_service_account_iam_member: ({ service_account_id }, project) => ({
    what: `the service account ${lastOf(service_account_id)}`,
    policy: {
      host: 'iam.googleapis.com',
      path: `v1/${toText(service_account_id)}:getIamPolicy`,
      query: VERSION,
      permission: 'iam.serviceAccounts.getIamPolicy',
      policyRequest: '',
    },
    revoke: `gcloud iam service-accounts remove-iam-policy-binding ${lastOf(service_account_id)} --project ${project}`,
  }),
  google_storage_bucket_iam_member: ({ bucket }) => ({
    what: `the bucket ${toText(bucket)}`,
    policy: {
      host: 'storage.googleapis.com',
      path: `storage/v1/b/${toText(bucket)}/iam`,
      query: { optionsRequestedPolicyVersion: '3' },
      permission: 'storage.buckets.getIamPolicy',
    },
    revoke: `gcloud storage buckets remove-iam-policy-binding gs://${toText(bucket)}`,
  }),
  google_artifact_registry_repository_iam_member: ({ repository, location }, project) => ({
    what: `the repository ${toText(repository)}`,
    policy: {
      host: 'artifactregistry.googleapis.com',
      path: `v1/projects/${project}/locations/${toText(location)}/repositories/${toText(repository)}:getIamPolicy`,
      query: VERSION,
      permission: 'artifactregistry.repositories.getIamPolicy',
    },
    revoke: `gcloud artifacts repositories remove-iam-policy-binding ${toText(repository)} --location ${toText(location)} --project ${project}`,
  }),
  google_cloud_run_v2_service_iam_member: ({ name, location }, project) => ({
    what: `the function ${toText(name)}`,
    policy: {
      host: 'run.googleapis.com',
      path: `v2/projects/${project}/locations/${toText(location)}/services/${toText(name)}:getIamPolicy`,
      query: VERSION,
      permission: 'run.services.getIamPolicy',
    },
    revoke: `gcloud run services remove-iam-policy-binding ${toText(name)} --region ${toText(location)} --project ${project}`,
  }),
};

function pubSub(kind: 'topics' | 'subscriptions', name: string, project: string): Place {
  return {
    what: `the ${kind.slice(0, -1)} ${name}`,
    policy: {
      host: 'pubsub.googleapis.com',
      path: `v1/projects/${project}/${kind}/${name}:getIamPolicy`,
      query: VERSION,
      permission: `pubsub.${kind}.getIamPolicy`,
    },
    revoke: `gcloud pubsub ${kind} remove-iam-policy-binding ${name} --project ${project}`,
  };
}

export const checkRoles: Check = async (subject, area) => {
  const { project, expected } = subject;
  const places = new Map<string, { place: Place; grants: Grant[] }>();
  for (const [type, placeOf] of Object.entries(PLACES)) {
    for (const values of expected.resources(type)) {
      const place = placeOf(values, project);
      const { grants } = places.get(place.what) ?? { grants: [] };
      const condition = toText(blockOf(values.condition).expression ?? '');
      places.set(place.what, {
        place,
        grants: [...grants, { role: toText(values.role), member: toText(values.member), condition }],
      });
    }
  }
  const own = new Set(expected.resources('google_service_account').map(({ member }) => toText(member)));
  await inParallel([...places.values()], LOOKS_AT_ONCE, ({ place, grants }) =>
    checkPlace(place, grants, own, subject, area),
  );
  const count = [...places.values()].reduce((sum, { grants }) => sum + grants.length, 0);
  return `All ${count} grants are there, and the service’s identities have no others.`;
};

async function checkPlace(
  { what, policy, revoke, hasConditions = false }: Place,
  grants: readonly Grant[],
  own: ReadonlySet<string>,
  { google, apply }: Subject,
  area: Area,
): Promise<void> {
  const answer = await area.look(`the roles on ${what}`, () => google.find(policy));
  if (answer === null) return;
  if (!answer) {
    area.wrong(`There is no policy of ${what}: it does not exist.`, apply);
    return;
  }
  const actual = ((answer.bindings ?? []) as readonly Json[]).flatMap(toGrants);
  for (const grant of grants) {
    if (!isKnown(grant.member) || !isKnown(grant.condition))
      area.unknown('the roles of Google’s own agents', 'the number of the project is not known');
    else if (!actual.some((other) => isSame(grant, other)))
      area.wrong(`${grant.member} lacks ${show(grant)} on ${what}.`, apply);
  }
  for (const grant of actual) {
    const isOurs = own.has(grant.member) || grant.member === 'allUsers' || grant.member === 'allAuthenticatedUsers';
    if (!isOurs || grants.some((other) => isSame(grant, other))) continue;
    const condition = hasConditions && grant.condition === '' ? ' --condition=None' : '';
    area.wrong(
      `${grant.member} has ${show(grant)} on ${what}, which Terraform does not grant.`,
      `${revoke} --member=${grant.member} --role=${grant.role}${condition}`,
    );
  }
}

function toGrants({ role, members, condition }: Json): readonly Grant[] {
  const expression = (condition as { readonly expression?: string } | undefined)?.expression ?? '';
  return ((members ?? []) as readonly string[]).map((member) => ({
    role: String(role),
    member,
    condition: expression,
  }));
}

/** A condition that is not known here may be any. */
function isSame(one: Grant, other: Grant): boolean {
  const isSameCondition =
    one.condition === other.condition || ![one, other].every(({ condition }) => isKnown(condition));
  return one.role === other.role && one.member === other.member && isSameCondition;
}

function show({ role, condition }: Grant): string {
  return condition === '' ? role : `${role} (if ${condition})`;
}
