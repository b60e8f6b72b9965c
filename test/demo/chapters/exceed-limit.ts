import { createKey } from '../../../shared/operations/keys';
import type { ApiAnswer } from '../api-client';
import { answerProblems, withExchange } from '../api-client';
import { ANY_TEXT, CLOCKS_DIFFER_MS, differences, TIME_OF_THIS_RUN } from '../compare';
import type { Demo } from '../context';
import type { Row } from '../report';
import { SAVED_MESSAGES } from './send-shop';

const LIMIT = 3;
const MINUTE_SECONDS = 60;

/** Sends requests with a key of few requests a minute until one is refused; every second one is itself a mistake. */
export async function exceedLimit(demo: Demo): Promise<void> {
  const { report, operator, tenants } = demo;
  report.progress('Exceeding the rate limit');
  const { key } = await createKey({ organization: tenants.aurora.organization, limit: LIMIT }, operator);
  const rows: Row[] = [];
  let window = '';
  let sentInWindow = 0;
  // The minute may turn meanwhile, and the count then begins anew; it cannot turn twice.
  for (let status = 0; status !== 429 && rows.length <= 2 * LIMIT;) {
    const body = rows.length % 2 === 1 ? {} : [];
    const answer = await demo.client.send({
      route: 'upsertCustomers',
      params: { tenant: tenants.aurora.tenantId },
      body,
      key,
    });
    const reset = header(answer, 'x-ratelimit-reset');
    sentInWindow = reset === window ? sentInWindow + 1 : 1;
    window = reset;
    status = answer.status;
    rows.push(toRow(answer, sentInWindow));
  }
  report.chapter(
    'Rate limit',
    `A key with ${LIMIT} requests a minute (the default is 100). Each request counts, mistakes too.`,
  );
  report.table(['status', 'X-RateLimit-Limit', '-Remaining', '-Reset', 'Retry-After'], rows);
}

function toRow(answer: ApiAnswer, sentInWindow: number): Row {
  const [limit, remaining, reset, retryAfter] = [
    'x-ratelimit-limit',
    'x-ratelimit-remaining',
    'x-ratelimit-reset',
    'retry-after',
  ].map((name) => header(answer, name));
  const resetMs = Number(reset) * 1_000;
  const isEndOfMinute = Number(reset) % MINUTE_SECONDS === 0;
  const receivedMs = Date.now();
  const isNext =
    resetMs > receivedMs - answer.milliseconds - CLOCKS_DIFFER_MS &&
    resetMs <= receivedMs + MINUTE_SECONDS * 1_000 + CLOCKS_DIFFER_MS;
  return {
    cells: [answer.status, limit ?? '', remaining ?? '', reset ?? '', retryAfter ?? ''],
    problems: [
      ...statusProblems(answer, sentInWindow, Number(retryAfter)),
      ...differences(String(LIMIT), limit, 'X-RateLimit-Limit'),
      ...differences(String(Math.max(0, LIMIT - sentInWindow)), remaining, 'X-RateLimit-Remaining'),
      ...(isEndOfMinute && isNext ? [] : [`X-RateLimit-Reset: ${reset ?? ''} is not the end of this minute`]),
    ],
  };
}

function statusProblems(answer: ApiAnswer, sentInWindow: number, retryAfter: number): string[] {
  if (sentInWindow > LIMIT) {
    const data = { retryAfter };
    const isWait = retryAfter >= 1 && retryAfter <= MINUTE_SECONDS;
    return [
      ...answerProblems(answer, 429, { success: false, message: ANY_TEXT, data }),
      ...(isWait ? [] : [`Retry-After: ${retryAfter} is no number of seconds within this minute`]),
    ];
  }
  if (answer.status === 400) return withExchange(answer, answer.problems);
  const data = { count: 0, created: 0, updated: 0, processedAt: TIME_OF_THIS_RUN };
  return answerProblems(answer, 200, { success: true, message: SAVED_MESSAGES.customers, data });
}

function header({ headers }: ApiAnswer, name: string): string {
  return String(headers[name] ?? '');
}
