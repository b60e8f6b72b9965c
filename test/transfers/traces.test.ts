/** One trace for all that a run does, and for its replays. */
import { runPath } from '../../shared/documents/paths';
import { parseTraceparent } from '../../shared/platform/trace';
import { CollectingLogger } from '../support/recording-fakes';
import { TRACE, TRACEPARENT } from '../support/traces';
import type { Message, StartedRun } from '../support/transfer-lab';
import { useTransferLab } from '../support/transfer-lab';

const lab = useTransferLab();

/** Delivers what waits until nothing does, each message twice. @returns the traces that the messages carried */
async function deliverTwice({ waiting, deliver }: StartedRun, first: Message): Promise<Set<string | undefined>> {
  const carried = new Set<string | undefined>();
  waiting.push(first, first);
  for (let message = waiting.shift(); message; message = waiting.shift()) {
    if (message !== first) carried.add(parseTraceparent(message.traceparent)?.traceId);
    await deliver(message);
  }
  return carried;
}

it('is the same for the steps, the lines of the log, a resumption and the replay of a scheduled run (R-395)', async () => {
  const { tenant, bucket } = await lab().openShop();
  bucket.put('customers.ndjson', '{"Email":"ann@example.com"}\n{"Email":"none"}\n');
  const logger = new CollectingLogger();
  const started = lab().start(tenant, bucket, { overrides: { logger } });

  const carried = await deliverTwice(started, started.trigger);
  const { runId, traceId } = await started.shown();
  expect([...carried]).toEqual([traceId]);
  expect(traceId).toMatch(/^[0-9a-f]{32}$/);

  await started.resume();
  expect(started.waiting.map(({ traceparent }) => parseTraceparent(traceparent)?.traceId)).toEqual([traceId]);

  const replay = await lab().startReplay(runId, { overrides: { logger } });
  expect(parseTraceparent(replay.trigger.traceparent)?.traceId).toBe(traceId);
  expect([...(await deliverTwice(replay, replay.trigger))]).toEqual([traceId]);
  expect(await replay.shown()).toMatchObject({ traceId });

  expect(logger.entries.filter(({ message }) => message === 'A transfer run has ended.')).toHaveLength(2);
  for (const { details } of logger.entries) expect(details.traceId).toBe(traceId);
});

it('is that of the request that has asked for the run (R-395)', async () => {
  const { tenant, bucket } = await lab().openShop();
  bucket.put('customers.ndjson', '{"Email":"ann@example.com"}\n');
  const started = lab().start(tenant, bucket, { kind: 'historical' });
  const carried = await deliverTwice(started, { ...started.trigger, traceparent: TRACEPARENT });
  expect([...carried]).toEqual([TRACE.traceId]);
  expect(await started.shown()).toMatchObject({ traceId: TRACE.traceId });
});

it('is begun by each message of a run of a release before, which is read as ever (R-395)', async () => {
  const { tenant, bucket } = await lab().openShop();
  bucket.put('customers.ndjson', '{"Email":"ann@example.com"}\n');
  const started = lab().start(tenant, bucket);
  await started.deliver(started.trigger);
  const { store, deadline } = lab().operator;
  const { runId } = await started.shown();
  const { traceparent: _traceparent, ...data } = (await store.get(runPath(runId), deadline()))!.data;
  await store.commit([{ set: runPath(runId), data }], deadline());

  const step = { ...started.waiting.shift()!, traceparent: undefined };
  started.waiting.push(step);
  await started.deliverAll();
  expect(await started.shown()).toMatchObject({ status: 'succeeded', traceId: null, rows: { stored: 1 } });
});
