/** APIs, service accounts, custom roles: what the rest stands on. */
import type { Check } from '../subject';
import { fieldOf, lastOf } from '../subject';
import { toText } from '../terraform/functions';

export const checkApis: Check = async ({ project, expected, google }, area) => {
  const services = expected.resources('google_project_service').map(({ service }) => toText(service));
  const found = await area.look('the APIs', () =>
    google.list(
      {
        host: 'serviceusage.googleapis.com',
        path: `v1/projects/${project}/services`,
        query: { filter: 'state:ENABLED', pageSize: '200' },
        permission: 'serviceusage.services.list',
      },
      'services',
    ),
  );
  const enabled = new Set(found?.map((service) => fieldOf(service, 'config.name') ?? lastOf(service.name)));
  for (const service of found ? services : []) {
    if (enabled.has(service)) continue;
    area.wrong(`The API ${service} is not enabled.`, `gcloud services enable ${service} --project ${project}`);
  }
  return `All ${services.length} APIs are enabled.`;
};

/** They are listed: one that does not exist is answered as if a permission were missing. */
export const checkIdentities: Check = async ({ project, expected, google, apply }, area) => {
  const emails = expected.resources('google_service_account').map(({ email }) => toText(email));
  const accounts = await area.look('the service accounts', () =>
    google.list(
      {
        host: 'iam.googleapis.com',
        path: `v1/projects/${project}/serviceAccounts`,
        query: { pageSize: '100' },
        permission: 'iam.serviceAccounts.list',
      },
      'accounts',
    ),
  );
  const byEmail = new Map(accounts?.map((account) => [account.email, account]));
  for (const email of accounts ? emails : []) {
    const account = byEmail.get(email);
    if (!account) area.wrong(`The service account ${email} does not exist.`, apply);
    else if (account.disabled === true) {
      area.wrong(
        `The service account ${email} is disabled.`,
        `gcloud iam service-accounts enable ${email} --project ${project}`,
      );
    }
  }
  return `All ${emails.length} service accounts exist and are enabled.`;
};

export const checkCustomRoles: Check = async ({ project, expected, google, apply }, area) => {
  const roles = expected.resources('google_project_iam_custom_role');
  for (const { id, role_id, permissions } of roles) {
    const role = await area.look('the custom roles', () =>
      google.find({ host: 'iam.googleapis.com', path: `v1/${toText(id)}`, permission: 'iam.roles.get' }),
    );
    if (role === null) continue;
    if (!role) area.wrong(`The custom role ${toText(role_id)} does not exist.`, apply);
    else if (role.deleted === true) {
      area.wrong(
        `The custom role ${toText(role_id)} is deleted.`,
        `gcloud iam roles undelete ${toText(role_id)} --project ${project}`,
      );
    } else {
      const toList = (list: unknown) => [...((list ?? []) as readonly string[])].sort().join(', ');
      const settings = [['the permissions', toList(permissions), toList(role.includedPermissions)]] as const;
      area.compare(`The custom role ${toText(role_id)}`, settings, apply);
    }
  }
  return `All ${roles.length} custom roles are as Terraform has them.`;
};
