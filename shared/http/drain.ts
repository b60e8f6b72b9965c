import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Server } from 'node:http';
import { DRAIN_MS } from '../limits/requests';

const REQUEST_START = 'http.server.request.start';
const SIGNAL = 'SIGTERM';
/** Time between two checks for connections whose last answer has been sent. */
const CHECK_INTERVAL_MS = 50;

/**
 * Lets the requests in flight finish when the platform ends the instance. On SIGTERM the process takes no new
 * connection and closes each connection after its answer. When all are closed, it does its last work and exits with 0.
 * After DRAIN_MS, unanswered requests lose their connections. Only for a process that functions-framework runs and that
 * has one server.
 *
 * The framework's own SIGTERM listener answers the newest request with a 500 and exits at once, whatever is in flight.
 * It is installed when the server begins to listen, so it is replaced at the first request. An instance without
 * requests has nothing to finish.
 * @param lastWork is done when no request is left; never rejects
 */
export function drainOnSigterm(lastWork: () => Promise<void> = () => Promise.resolve()): void {
  const onFirstRequest = (event: unknown) => {
    unsubscribe(REQUEST_START, onFirstRequest);
    const { server } = event as { server: Server };
    process.removeAllListeners(SIGNAL);
    process.once(SIGNAL, () => drain(server, lastWork));
  };
  subscribe(REQUEST_START, onFirstRequest);
}

function drain(server: Server, lastWork: () => Promise<void>): void {
  server.close(() => void lastWork().finally(() => process.exit(0)));
  setInterval(() => server.closeIdleConnections(), CHECK_INTERVAL_MS);
  setTimeout(() => server.closeAllConnections(), DRAIN_MS);
}
