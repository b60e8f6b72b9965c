import type { Caller } from '../../support/test-service';
import { storedJob } from '../../support/stored-run';
import { useTestService } from '../../support/test-service';
import { envelopeOf, expectAnswer } from '../api';
import { TRACED } from '../../support/traces';

const service = useTestService('ingestion');
const BASE = '/ingestion/google-cloud-storage';
const refusal = (message: string) => envelopeOf('ingestion', false, message);
const run = ({ key }: Pick<Caller, 'key'>, query: string) =>
  service().request('POST', `${BASE}/transfers/run${query}`, { key });
const runIdOf = (answer: { readonly json: unknown }) => (answer.json as { Data: { RunId: string } }).Data.RunId;

describe('POST /ingestion/google-cloud-storage/transfers/run', () => {
  it('starts the run in the trace of its request (R-395)', async () => {
    const caller = await service().createCaller();
    const answer = await run(caller, `?jobId=daily-transfer/${caller.tenantId}`);
    const traceId = answer.headers['x-trace-id'];
    const [message] = service().publisher.published;
    expect(message?.attributes.traceparent).toContain(traceId);
    const shown = await service().request('GET', `${BASE}/runs/${runIdOf(answer)}`, { key: caller.key });
    expect(shown.json).toMatchObject({ Data: { Run: { TraceId: traceId } } });
  });

  it('starts a run of what the job reads, shows it at once and leaves the schedule (R-79)', async () => {
    const caller = await service().createCaller();
    const job = storedJob(caller.tenantId);
    const runId = runIdOf(await run(caller, `?jobId=Daily-transfer%2F${caller.tenantId.toUpperCase()}`));
    const event = { ...job.trigger, runId };
    expect(service().publisher.published).toEqual([{ topic: 'transfers', event, attributes: TRACED }]);
    expect(service().scheduler.before.get(job.trigger.jobId)).toEqual(job);
    const shown = await service().request('GET', `${BASE}/runs/${runId}`, { key: caller.key });
    const details = {
      RunId: runId,
      JobId: job.trigger.jobId,
      Kind: 'manual',
      Status: 'running',
      FolderPaths: ['shop/'],
    };
    expect(shown.json).toMatchObject({ Data: { Run: details } });
  });

  it('starts another run when it is repeated (R-79)', async () => {
    const caller = await service().createCaller();
    const query = `?jobId=daily-transfer/${caller.tenantId}`;
    expect(runIdOf(await run(caller, query))).not.toBe(runIdOf(await run(caller, query)));
  });

  it('is 404 for a job that is not registered, or is none that recurs (R-79)', async () => {
    const { key, tenantId } = await service().createCaller();
    const jobs = ['nothing', '..', `hourly-transfer/${tenantId}`, `historical-transfer/${tenantId}/abc`];
    for (const job of jobs) {
      expectAnswer(await run({ key }, `?jobId=${job}`), 404, refusal('Transfer not found.'));
    }
    expect(service().publisher.published).toEqual([]);
  });

  it('is 403 for the job of another organization, and 404 for that of an unknown tenant (R-72)', async () => {
    const { key } = await service().createCaller({ permissions: [] });
    const stranger = await service().createCaller();
    const foreign = "The tenant does not belong to the API key's organization.";
    expectAnswer(await run({ key }, `?jobId=daily-transfer/${stranger.tenantId}`), 403, refusal(foreign));
    const unknown = await run({ key }, `?jobId=daily-transfer/${service().unusedTenantId()}`);
    expectAnswer(unknown, 404, refusal('Tenant not found.'));
  });

  it.each(['', '?', '?jobId=', '?jobId=%20', '?jobid=daily-transfer/x'])(
    'refuses %p: the job id is required, after the permission (D-34, R-79)',
    async (query) => {
      const { key, organizationId } = await service().createCaller();
      expectAnswer(await run({ key }, query), 400, refusal('Job ID is required.'), { remaining: 99 });
      const unpermitted = await service().createKey(organizationId, { permissions: ['orders'] });
      expect((await run({ key: unpermitted }, query)).status).toBe(403);
    },
  );

  it('refuses a job id that is given twice, or is malformed', async () => {
    const { key } = await service().createCaller();
    expectAnswer(await run({ key }, '?jobId=a&jobId=b'), 400, refusal('The query parameter jobId must be given once.'));
    expect((await run({ key }, '?jobId=%E0%A4%A')).status).toBe(400);
  });

  it('has its own message when the job cannot be found, says nothing of what to read, or the run cannot be stored', async () => {
    const caller = await service().createCaller();
    const query = `?jobId=daily-transfer/${caller.tenantId}`;
    const failed = refusal('Failed to start transfer.');
    service().scheduler.failure = new Error('Cloud Scheduler cannot be reached.');
    expectAnswer(await run(caller, query), 500, failed);
    service().scheduler.failure = undefined;
    service().store.failing = ({ method }) => method === 'commit';
    expectAnswer(await run(caller, query), 500, failed);
    const { jobId } = storedJob(caller.tenantId).trigger;
    const job = { jobId, schedule: '', timeZone: '', nextRun: null, bucketName: null, folderPaths: null };
    jest.spyOn(service().scheduler, 'find').mockResolvedValue(job);
    expectAnswer(await run(caller, query), 500, failed);
  });
});
