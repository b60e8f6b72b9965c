import type { Outgoing, Received } from '../http-exchange';
import { exchange } from '../http-exchange';
import { requireConformance } from './conformance';

/**
 * `exchange` with an HTTP function: the hook by which all tests hold what they send and receive against `openapi.json`.
 * @throws Error where the request, or its answer, is not as documented
 */
export async function documentedExchange(functionName: string, outgoing: Outgoing): Promise<Received> {
  const received = await exchange(outgoing);
  const { method, path, headers: sentHeaders, body } = outgoing;
  const { status, headers, text } = received;
  requireConformance({ functionName, method, path, sentHeaders, body, status, headers, text });
  return received;
}
