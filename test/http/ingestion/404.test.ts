import { describeNotFound } from '../suites/not-found';

describeNotFound('ingestion', (tenantId) => [
  '',
  '/',
  `/${tenantId}`,
  '/google-cloud-storage',
  '/google-cloud-storage/register',
  '/google-cloud-storage/register/weekly-transfer',
  '/google-cloud-storage/register/daily-transfer/now',
  '/google-cloud-storage/Unregister',
  '/aws-s3/register/daily-transfer',
]);
