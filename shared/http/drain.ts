import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Server } from 'node:http';
import { DRAIN_MS } from '../limits/requests';

const REQUEST_START = 'http.server.request.start';
const SIGNAL = 'SIGTERM';
/** Between two looks for connections whose last answer has been sent. */
const LOOK_MS = 50;

/**
 * Lets the requests in flight finish when the platform ends the instance: on SIGTERM the process takes no new
 * connection, closes each one after its answer, and exits with 0 when all are closed or DRAIN_MS have passed; what is
 * unanswered by then loses its connection. For a process that functions-framework runs, and that has one server.
 *
 * The framework's own listener answers the newest request with a 500 and exits at once, whatever is in flight. It is
 * there as soon as the server listens, so the first request takes its place; an instance without requests has nothing
 * to finish.
 */
export function drainOnSigterm(): void {
  const onFirstRequest = (event: unknown) => {
    unsubscribe(REQUEST_START, onFirstRequest);
    const { server } = event as { server: Server };
    process.removeAllListeners(SIGNAL);
    process.once(SIGNAL, () => drain(server));
  };
  subscribe(REQUEST_START, onFirstRequest);
}

function drain(server: Server): void {
  server.close(() => process.exit(0));
  setInterval(() => server.closeIdleConnections(), LOOK_MS);
  setTimeout(() => server.closeAllConnections(), DRAIN_MS);
}
