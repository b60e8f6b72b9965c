import type { Caller } from '../../support/test-service';
import { runningRunId, storedRunId } from '../../support/stored-run';
import { useTestService } from '../../support/test-service';
import { envelopeOf, expectAnswer } from '../api';
import { TRACEPARENT } from '../../support/traces';

const service = useTestService('ingestion');
const pathOf = (runId: string, rest: string) => `/ingestion/google-cloud-storage/runs/${runId}${rest}`;
const cancel = ({ tenantId, key }: Caller, runId = runningRunId(tenantId)) =>
  service().request('POST', pathOf(runId, '/cancel'), { key });

describe('POST /ingestion/google-cloud-storage/runs/<run_id>/cancel', () => {
  it('ends the run at once, and has a step sum what it has stored (R-80)', async () => {
    const caller = await service().createCaller();
    const runId = runningRunId(caller.tenantId);
    expect((await cancel(caller)).status).toBe(200);
    const shown = await service().request('GET', pathOf(runId, ''), { key: caller.key });
    expect(shown.json).toMatchObject({
      Data: { Run: { Status: 'cancelled', FinishedAt: '2026-03-01T12:00:30.000Z', Error: null } },
    });
    const step = { step: 'plan', runId, folder: 0, page: 0, pageToken: null };
    expect(service().publisher.published).toEqual([
      { topic: 'transfers', event: step, attributes: { traceparent: TRACEPARENT } },
    ]);
  });

  it('is found by its status from then on (R-73, R-80)', async () => {
    const caller = await service().createCaller();
    await cancel(caller);
    const list = (status: string) =>
      service().request('GET', `${pathOf('', '').slice(0, -1)}?tenantId=${caller.tenantId}&status=${status}`, caller);
    expect((await list('cancelled')).json).toMatchObject({
      Data: { Runs: [{ RunId: runningRunId(caller.tenantId) }] },
    });
    expect((await list('running')).json).toMatchObject({ Data: { Runs: [] } });
  });

  it('is 409 when the run has ended, also meanwhile, and changes nothing (R-80)', async () => {
    const caller = await service().createCaller();
    const before = await service().store.dump();
    const answer = await cancel(caller, storedRunId(caller.tenantId));
    expectAnswer(answer, 409, envelopeOf('ingestion', false, 'The run has ended.'), { remaining: 99 });
    expect(await service().store.dump()).toEqual(before);
    expect(service().publisher.published).toEqual([]);
  });

  it('may be repeated when its message could not be published (R-80)', async () => {
    const caller = await service().createCaller();
    service().publisher.failure = new Error('Pub/Sub cannot be reached.');
    expectAnswer(await cancel(caller), 500, envelopeOf('ingestion', false, 'Failed to cancel run.'));
    service().publisher.failure = undefined;
    expect((await cancel(caller)).status).toBe(200);
    expect(service().publisher.published).toHaveLength(1);
  });

  it('has its own message when the run cannot be stored', async () => {
    const caller = await service().createCaller();
    service().store.failing = ({ method }) => method === 'commit';
    expectAnswer(await cancel(caller), 500, envelopeOf('ingestion', false, 'Failed to cancel run.'));
  });
});
