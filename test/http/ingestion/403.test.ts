import { envelopeOf, expectAnswer } from '../api';
import { describeForbidden } from '../suites/forbidden';
import { bucketOwner, releaseWrite } from '../../../shared/transfers/runs/bucket-ownership';
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

describe.each([...['historical', 'daily', 'hourly', 'live'].map((kind) => `register/${kind}-transfer`), 'preview'])(
  'POST /ingestion/google-cloud-storage/%s',
  (name) => {
    const path = `/ingestion/google-cloud-storage/${name}`;
    const register = ({ tenantId, key }: { tenantId: string; key: string }, BucketName = 'ada-exports') =>
      service().request('POST', path, { key, json: { TenantId: tenantId, BucketName } });

    it('refuses the bucket of another organization, and neither schedules nor starts anything (D-57)', async () => {
      await register(await service().createCaller());
      const stranger = await service().createCaller();
      const before = [service().scheduler.jobs.size, service().publisher.published.length];
      const answer = await register(stranger);
      const envelope = envelopeOf('ingestion', false, 'The bucket is registered by another organization.');
      expectAnswer(answer, 403, envelope, { remaining: 99 });
      expect([service().scheduler.jobs.size, service().publisher.published.length]).toEqual(before);
    });

    it('refuses the service’s own bucket of reports, also for whoever would be the first (D-57)', async () => {
      const answer = await register(await service().createCaller(), service().reportsBucket);
      expectAnswer(answer, 403, envelopeOf('ingestion', false, 'The bucket is registered by another organization.'));
      expect([service().scheduler.jobs.size, service().publisher.published.length]).toEqual([0, 0]);
      expect([...(await service().store.dump()).keys()].filter((path) => path.startsWith('buckets/'))).toEqual([]);
    });

    it('comes before what else is wrong with the body (D-34)', async () => {
      const owner = await service().createCaller();
      const stranger = await service().createCaller();
      const answer = await register({ ...owner, key: stranger.key }, 'not a bucket');
      expectAnswer(
        answer,
        403,
        envelopeOf('ingestion', false, "The tenant does not belong to the API key's organization."),
      );
    });

    it('accepts the bucket again from its own organization, for another of its tenants, too (D-57, R-98)', async () => {
      const first = await service().createCaller();
      const second = await service().createCaller({ organizationId: first.organizationId });
      for (const caller of [first, first, second]) expect((await register(caller)).status).toBe(200);
    });

    it('leaves a bucket free that a refused request has named (D-57)', async () => {
      const caller = await service().createCaller();
      const stranger = await service().createCaller();
      expect((await register({ tenantId: caller.tenantId, key: stranger.key })).status).toBe(403);
      expect((await register(caller)).status).toBe(200);
    });

    it('accepts the bucket of another organization once the operator has released it (D-57)', async () => {
      const [former, next] = [await service().createCaller(), await service().createCaller()];
      await register(former);
      const { store } = service();
      expect(await bucketOwner('ada-exports', store, service().deadline())).toBe(former.organizationId);
      await store.commit([releaseWrite('ada-exports')], service().deadline());
      expect((await register(next)).status).toBe(200);
      expect((await register(former)).status).toBe(403);
    });
  },
);
