import { runPath } from '../../../shared/documents/paths';
import type { Caller } from '../../support/test-service';
import { useTestService } from '../../support/test-service';
import { aRun, putRun, runningRunId, storedRunId } from '../../support/stored-run';
import { envelopeOf, expectAnswer } from '../api';
import { TRACE, TRACEPARENT } from '../../support/traces';

const service = useTestService('ingestion');
const pathOf = (runId: string, rest: string) => `/ingestion/google-cloud-storage/runs/${runId}${rest}`;
const replay = ({ tenantId, key }: Caller) =>
  service().request('POST', pathOf(storedRunId(tenantId), '/replay'), { key });
const runIdOf = (answer: { readonly json: unknown }) => (answer.json as { Data: { RunId: string } }).Data.RunId;

describe('POST /ingestion/google-cloud-storage/runs/<run_id>/replay', () => {
  it('goes on in the trace of the run, and the line of the request names the new run (R-395)', async () => {
    const caller = await service().createCaller();
    const answer = await replay(caller);
    const runId = runIdOf(answer);
    const details = { runId, traceId: answer.headers['x-trace-id'] };
    expect(service().logger.entries).toMatchObject([{ message: 'A transfer run was requested.', details }]);
    expect(details.traceId).not.toBe(TRACE.traceId);
    const shown = await service().request('GET', pathOf(runId, ''), { key: caller.key });
    expect(shown.json).toMatchObject({ Data: { Run: { TraceId: TRACE.traceId } } });
  });

  it('starts a run that reads the bad rows again, and shows it at once (R-77)', async () => {
    const caller = await service().createCaller();
    const runId = runIdOf(await replay(caller));
    const step = { step: 'replay', runId, replayOf: storedRunId(caller.tenantId), after: null };
    expect(service().publisher.published).toEqual([
      { topic: 'transfers', event: step, attributes: { traceparent: TRACEPARENT } },
    ]);
    const shown = await service().request('GET', pathOf(runId, ''), { key: caller.key });
    expect(shown.json).toMatchObject({
      Data: {
        Run: {
          RunId: runId,
          JobId: `daily-transfer/${caller.tenantId}`,
          Kind: 'replay',
          ReplayOf: storedRunId(caller.tenantId),
          Status: 'running',
          FinishedAt: null,
          Files: { Found: 0, Finished: 0, Skipped: 0, Failed: 0 },
          IgnoredFields: [],
        },
      },
    });
  });

  it('starts another one when it is repeated (R-77)', async () => {
    const caller = await service().createCaller();
    expect(runIdOf(await replay(caller))).not.toBe(runIdOf(await replay(caller)));
    expect(service().publisher.published).toHaveLength(2);
  });

  it('is 409 while the run has not ended, and starts nothing (R-77)', async () => {
    const caller = await service().createCaller();
    const answer = await service().request('POST', pathOf(runningRunId(caller.tenantId), '/replay'), caller);
    expectAnswer(answer, 409, envelopeOf('ingestion', false, 'The run has not ended.'), { remaining: 99 });
    expect(service().publisher.published).toEqual([]);
  });

  it('is 409 for a preview, which stores nothing, running or not (R-98)', async () => {
    const caller = await service().createCaller();
    for (const status of ['partial', 'running'] as const) {
      await service().store.commit(
        [putRun('20260301000000_preview1', aRun(caller.tenantId, { isPreview: true, status }))],
        service().deadline(),
      );
      const answer = await service().request('POST', pathOf('20260301000000_preview1', '/replay'), caller);
      const message = 'The run is a preview, which stores nothing: run the transfer first.';
      expectAnswer(answer, 409, envelopeOf('ingestion', false, message));
    }
    expect(service().publisher.published).toEqual([]);
  });

  it('has its own message when the replay cannot be stored', async () => {
    const caller = await service().createCaller();
    service().store.failing = ({ method, paths }) =>
      method === 'commit' && paths.some((path) => path.startsWith(runPath('')));
    expectAnswer(await replay(caller), 500, envelopeOf('ingestion', false, 'Failed to start replay.'));
  });
});
