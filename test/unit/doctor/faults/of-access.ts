/** What is wrong with the project, its APIs, identities and roles. */
import {
  ACCOUNTS,
  APPLY,
  PROJECT_ROLES,
  PUBSUB,
  SERVICE,
  SERVICES,
  account,
  answer,
  element,
  google,
  grantTo,
  named,
  remove,
  revoke,
} from '../examined-project';
import type { Fault } from './fault';
import { NUMBER, PROJECT, REGION } from '../healthy-project';

export const FAULTS_OF_ACCESS: readonly Fault[] = [
  {
    plant: () => (answer(`cloudresourcemanager.googleapis.com/v3/projects/${PROJECT}`).state = 'DELETE_REQUESTED'),
    area: 'project',
    what: `The project ${PROJECT} is DELETE_REQUESTED.`,
    remedy: `gcloud projects undelete ${PROJECT}`,
  },
  {
    plant: () => remove(SERVICES, 'services', named('firestore.googleapis.com')),
    area: 'APIs',
    what: 'The API firestore.googleapis.com is not enabled.',
    remedy: `gcloud services enable firestore.googleapis.com --project ${PROJECT}`,
  },
  {
    plant: () => remove(ACCOUNTS, 'accounts', ({ email }) => email === account('fn-orders')),
    area: 'identities',
    what: `The service account ${account('fn-orders')} does not exist.`,
    remedy: APPLY,
  },
  {
    plant: () => (element(ACCOUNTS, 'accounts', ({ email }) => email === account('pubsub-push')).disabled = true),
    area: 'identities',
    what: `The service account ${account('pubsub-push')} is disabled.`,
    remedy: `gcloud iam service-accounts enable ${account('pubsub-push')} --project ${PROJECT}`,
  },
  {
    plant: () => google.answers.delete(`iam.googleapis.com/v1/projects/${PROJECT}/roles/transferJobs`),
    area: 'custom roles',
    what: 'The custom role transferJobs does not exist.',
    remedy: APPLY,
  },
  {
    plant: () => (answer(`iam.googleapis.com/v1/projects/${PROJECT}/roles/transferJobs`).deleted = true),
    area: 'custom roles',
    what: 'The custom role transferJobs is deleted.',
    remedy: `gcloud iam roles undelete transferJobs --project ${PROJECT}`,
  },
  {
    plant: () =>
      (answer(`iam.googleapis.com/v1/projects/${PROJECT}/roles/transferRunnerTokens`).includedPermissions = [
        'iam.serviceAccounts.signBlob',
      ]),
    area: 'custom roles',
    what: 'The custom role transferRunnerTokens has the permissions iam.serviceAccounts.signBlob, and should have iam.serviceAccounts.getAccessToken.',
    remedy: APPLY,
  },
  {
    plant: () => grantTo(PROJECT_ROLES, 'roles/owner', `serviceAccount:${account('fn-customers')}`),
    area: 'roles',
    what: `serviceAccount:${account('fn-customers')} has roles/owner on the project, which Terraform does not grant.`,
    remedy: `gcloud projects remove-iam-policy-binding ${PROJECT} --member=serviceAccount:${account('fn-customers')} --role=roles/owner --condition=None`,
  },
  {
    plant: () => grantTo(PROJECT_ROLES, 'roles/viewer', 'allAuthenticatedUsers'),
    area: 'roles',
    what: 'allAuthenticatedUsers has roles/viewer on the project, which Terraform does not grant.',
    remedy: `gcloud projects remove-iam-policy-binding ${PROJECT} --member=allAuthenticatedUsers --role=roles/viewer --condition=None`,
  },
  {
    // Without the condition that limits it to the service's own database.
    plant: () => grantTo(PROJECT_ROLES, 'roles/datastore.user', `serviceAccount:${account('fn-usage')}`),
    area: 'roles',
    what: `serviceAccount:${account('fn-usage')} has roles/datastore.user on the project, which Terraform does not grant.`,
    remedy: `gcloud projects remove-iam-policy-binding ${PROJECT} --member=serviceAccount:${account('fn-usage')} --role=roles/datastore.user --condition=None`,
  },
  {
    plant: () =>
      remove(
        PROJECT_ROLES,
        'bindings',
        ({ role, members }) =>
          role === 'roles/datastore.user' && (members as string[]).includes(`serviceAccount:${account('fn-orders')}`),
      ),
    area: 'roles',
    what: `serviceAccount:${account('fn-orders')} lacks roles/datastore.user (if resource.name == "projects/${PROJECT}/databases/(default)") on the project.`,
    remedy: APPLY,
  },
  {
    plant: () => revoke(`${PUBSUB}/subscriptions/transfer-runner:getIamPolicy`, 'roles/pubsub.subscriber'),
    area: 'roles',
    what: `serviceAccount:service-${NUMBER}@gcp-sa-pubsub.iam.gserviceaccount.com lacks roles/pubsub.subscriber on the subscription transfer-runner.`,
    remedy: APPLY,
  },
  {
    plant: () =>
      revoke(`${ACCOUNTS}/${account('pubsub-push')}:getIamPolicy`, 'roles/iam.serviceAccountOpenIdTokenCreator'),
    area: 'roles',
    what: `serviceAccount:service-${NUMBER}@gcp-sa-pubsub.iam.gserviceaccount.com lacks roles/iam.serviceAccountOpenIdTokenCreator on the service account ${account('pubsub-push')}.`,
    remedy: APPLY,
  },
  {
    plant: () =>
      grantTo(
        `storage.googleapis.com/storage/v1/b/${PROJECT}-transfer-reports/iam`,
        'roles/storage.objectViewer',
        'allUsers',
      ),
    area: 'roles',
    what: `allUsers has roles/storage.objectViewer on the bucket ${PROJECT}-transfer-reports, which Terraform does not grant.`,
    remedy: `gcloud storage buckets remove-iam-policy-binding gs://${PROJECT}-transfer-reports --member=allUsers --role=roles/storage.objectViewer`,
  },
  {
    plant: () => google.answers.delete(`storage.googleapis.com/storage/v1/b/${PROJECT}-transfer-reports/iam`),
    area: 'roles',
    what: `There is no policy of the bucket ${PROJECT}-transfer-reports: it does not exist.`,
    remedy: APPLY,
  },
  {
    plant: () =>
      revoke(
        `artifactregistry.googleapis.com/v1/projects/${PROJECT}/locations/${REGION}/repositories/functions:getIamPolicy`,
        'roles/artifactregistry.writer',
      ),
    area: 'roles',
    what: `serviceAccount:${account('function-build')} lacks roles/artifactregistry.writer on the repository functions.`,
    remedy: APPLY,
  },
  {
    plant: () => grantTo(`${SERVICE}/deletion-consumer:getIamPolicy`, 'roles/run.invoker', 'allUsers'),
    area: 'roles',
    what: 'allUsers has roles/run.invoker on the function deletion-consumer, which Terraform does not grant.',
    remedy: `gcloud run services remove-iam-policy-binding deletion-consumer --region ${REGION} --project ${PROJECT} --member=allUsers --role=roles/run.invoker`,
  },
];
