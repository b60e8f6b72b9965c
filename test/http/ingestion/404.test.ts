import { useTestService } from '../../support/test-service';
import { envelopeOf, expectAnswer } from '../api';
import { describeNotFound } from '../suites/not-found';

const service = useTestService('ingestion');

it.each([...['historical', 'daily', 'hourly', 'live'].map((kind) => `register/${kind}-transfer`), 'preview'])(
  'POST %s answers so before what else is wrong with the body (D-34)',
  async (path) => {
    const { key } = await service().createCaller();
    const json = { TenantId: service().unusedTenantId() };
    const answer = await service().request('POST', `/ingestion/google-cloud-storage/${path}`, { key, json });
    expectAnswer(answer, 404, envelopeOf('ingestion', false, 'Tenant not found.'));
  },
);

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
