import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';

export interface FakeRequest {
  readonly headers?: Readonly<Record<string, string>>;
  /** The body as it arrives, one chunk a turn of the event loop, as fast as it is read. */
  readonly chunks?: readonly (Buffer | string)[];
  /** Milliseconds until the body ends after its last chunk. */
  readonly endsAfterMs?: number;
  /** The caller leaves after the chunks instead of ending the body. */
  readonly leaves?: boolean;
}

/** A request as Node's HTTP server makes it, without a network. */
export function fakeRequest({
  headers = {},
  chunks = [],
  endsAfterMs = 0,
  leaves = false,
}: FakeRequest): IncomingMessage {
  const message = new IncomingMessage(new Socket());
  Object.assign(message.headers, headers);
  const rest = [...chunks];
  const end = () => {
    if (message.destroyed) return;
    message.complete = true;
    message.push(null);
  };
  // Node's own `_read` does so when it is called first: a message reads nothing ahead before that.
  Object.assign((message as unknown as { _readableState: object })._readableState, { readingMore: false });
  message._read = () => {
    setImmediate(() => {
      const chunk = rest.shift();
      if (message.destroyed) return;
      if (chunk !== undefined) message.push(chunk);
      else if (leaves) message.destroy();
      else setTimeout(end, endsAfterMs);
    });
  };
  return message;
}
