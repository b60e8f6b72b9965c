/** Ways of sending many requests: so many a second, or by so many callers. */
import type { Answer } from '../http-client';

export interface SteadyLoad {
  /** Sends no more, and waits for the answers to what was sent. */
  stop(): Promise<readonly Answer[]>;
}

/**
 * Sends so many requests a second, however long their answers take; what the sender was late for, it sends at once.
 * @param send the request of a number, from 0 on
 */
export function sendAtRate(perSecond: number, send: (number: number) => Promise<Answer>): SteadyLoad {
  const startMs = performance.now();
  const answers: Promise<Answer>[] = [];
  const sendDue = () => {
    const due = Math.floor(((performance.now() - startMs) / 1000) * perSecond);
    while (answers.length < due) answers.push(send(answers.length));
  };
  const timer = setInterval(sendDue, 1000 / perSecond);
  return {
    stop() {
      clearInterval(timer);
      return Promise.all(answers);
    },
  };
}

/**
 * Sends requests by callers of which each waits for its answer before it sends the next one.
 * @param send the request of a number, from 0 to `count` - 1
 */
export async function sendByCallers<T>(
  callers: number,
  count: number,
  send: (number: number) => Promise<T>,
): Promise<readonly T[]> {
  const answers: T[] = [];
  let sent = 0;
  const sendRest = async () => {
    while (sent < count) {
      sent += 1;
      answers.push(await send(sent - 1));
    }
  };
  await Promise.all(Array.from({ length: callers }, sendRest));
  return answers;
}

/** How long answers took, in milliseconds. */
export function timesOf(answers: readonly Answer[]): number[] {
  return answers.map(({ elapsedMs }) => elapsedMs);
}

/** Answers other than 200. */
export function refusedOf(answers: readonly Answer[]): Answer[] {
  return answers.filter(({ status }) => status !== 200);
}
