import { envelopeOf, expectAnswer } from '../api';
import { describeForbidden } from '../suites/forbidden';
import { useTestService } from '../../support/test-service';

describeForbidden('ingestion');

const service = useTestService('ingestion');

describe('DELETE /ingestion/google-cloud-storage/unregister', () => {
  it('leaves the job of another organization scheduled (D-39)', async () => {
    const owner = await service().createCaller();
    const stranger = await service().createCaller();
    const json = { TenantId: owner.tenantId, BucketName: 'ada-exports' };
    await service().request('POST', '/ingestion/google-cloud-storage/register/daily-transfer', {
      key: owner.key,
      json,
    });
    const path = `/ingestion/google-cloud-storage/unregister?jobId=daily-transfer/${owner.tenantId}`;
    expect((await service().request('DELETE', path, { key: stranger.key })).status).toBe(403);
    expect(service().scheduler.jobs.size).toBe(1);
  });

  it('refuses a key without the permission before it looks at the job id (D-34)', async () => {
    const { key } = await service().createCaller({ permissions: ['orders'] });
    const answer = await service().request('DELETE', '/ingestion/google-cloud-storage/unregister', { key });
    expectAnswer(answer, 403, envelopeOf('ingestion', false, 'The API key lacks the permission transfers.'));
  });
});
