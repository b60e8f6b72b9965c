/** How requests are sent: as many at once as there are callers, or at a rate, whatever becomes of those before. */
import { setTimeout as sleep } from 'node:timers/promises';

const TICK_MS = 10;

/** Sends one request. `number`: counted from 0 within the load. */
export type Send = (number: number) => Promise<void>;

/** Lets callers send one request after the other for a time. @returns the requests answered in a second. */
export async function sendInTurn(callers: number, durationMs: number, send: Send): Promise<number> {
  const startMs = performance.now();
  let sent = 0;
  const call = async () => {
    while (performance.now() - startMs < durationMs) await send(sent++);
  };
  await Promise.all(Array.from({ length: callers }, call));
  return (1_000 * sent) / (performance.now() - startMs);
}

/**
 * Sends at a rate for a time, without waiting for answers, and resolves when all are there. @returns how many were
 * sent.
 */
export async function sendAtRate(perSecond: number, durationMs: number, send: Send): Promise<number> {
  const startMs = performance.now();
  const pending = new Set<Promise<void>>();
  const total = Math.ceil((perSecond * durationMs) / 1_000);
  let sent = 0;
  while (sent < total) {
    const due = Math.min(total, Math.ceil((perSecond * (performance.now() - startMs)) / 1_000));
    for (; sent < due; sent += 1) {
      const answer = send(sent);
      pending.add(answer);
      void answer.finally(() => pending.delete(answer)).catch(() => undefined);
    }
    await sleep(TICK_MS);
  }
  await Promise.all(pending);
  return total;
}
