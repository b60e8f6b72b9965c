import type { Logger } from '../platform/logger';
import type { Trace } from '../platform/trace';
import { parseTraceparent, toTraceparent, traceFrom } from '../platform/trace';
import type { MessageIdentity } from './event-handler';
import type { EventPublisher } from './event-publisher';

/** What publishes and logs. */
export interface Traceable {
  readonly publisher: EventPublisher;
  readonly logger?: Logger;
}

/**
 * Dependencies for the work in one trace: what they publish carries it, and what they log has it. Within another trace,
 * the inner one counts. A topic of a tenant's
 * own project gets no more attributes than its contract names.
 */
export function inTrace<D extends Traceable>(dependencies: D, trace: Trace): D & { readonly trace: Trace } {
  const { publisher, logger } = dependencies;
  const traced: Traceable = {
    publisher: {
      publish: (topic, event, attributes) =>
        publisher.publish(
          topic,
          event,
          topic.startsWith('projects/') ? attributes : { traceparent: toTraceparent(trace), ...attributes },
        ),
    },
    ...(logger && {
      logger: { log: (severity, message, details) => logger.log(severity, message, { ...trace, ...details }) },
    }),
  };
  return { ...dependencies, ...traced, trace };
}

/**
 * The trace of a message, the same in every delivery: the one that it carries. One that carries none, or no valid one,
 * such as that of Cloud Scheduler or of a release before, begins a trace.
 */
export function traceOfMessage({ messageId, traceparent }: Omit<MessageIdentity, 'publishedAt'>): Trace {
  return parseTraceparent(traceparent) ?? traceFrom(messageId);
}
