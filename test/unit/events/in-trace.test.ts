import { inTrace, traceOfMessage } from '../../../shared/events/in-trace';
import { traceFrom } from '../../../shared/platform/trace';
import { CollectingLogger, RecordingPublisher } from '../../support/recording-fakes';
import { TRACE, TRACEPARENT } from '../../support/traces';

function traced() {
  const [publisher, logger] = [new RecordingPublisher(), new CollectingLogger()];
  return { publisher, logger, work: inTrace({ publisher, logger, other: 1 }, TRACE) };
}

it('publishes and logs in the trace, and keeps the other dependencies (R-394)', async () => {
  const { publisher, logger, work } = traced();
  await work.publisher.publish('deletions', { a: 1 }, { function: 'f' });
  work.logger.log('INFO', 'text', { count: 1 });
  work.logger.log('INFO', 'text');
  expect(publisher.published).toEqual([
    { topic: 'deletions', event: { a: 1 }, attributes: { function: 'f', traceparent: TRACEPARENT } },
  ]);
  expect(logger.entries.map(({ details }) => details)).toEqual([{ ...TRACE, count: 1 }, TRACE]);
  expect(work).toMatchObject({ other: 1, trace: TRACE });
});

it('tells a topic of a tenant nothing more than its contract names (R-110, R-394)', async () => {
  const { publisher, work } = traced();
  await work.publisher.publish('projects/p/topics/t', {}, { runId: 'r' });
  await work.publisher.publish('projects/p/topics/t', {});
  expect(publisher.published.map(({ attributes }) => attributes)).toEqual([{ runId: 'r' }, {}]);
});

it('is in the trace of the innermost work (R-395)', async () => {
  const { publisher, logger, work } = traced();
  const inner = inTrace(work, traceFrom('run'));
  inner.logger.log('INFO', 'text');
  await inner.publisher.publish('transfers', {});
  expect(logger.entries[0]?.details).toEqual(traceFrom('run'));
  expect(traceOfMessage({ messageId: '1', ...publisher.published[0]?.attributes })).toEqual(traceFrom('run'));
});
