/** Shows what a request was answered. */
import { element, one } from './dom';

/** Of a stream, which has no end that is known before, no more is read. */
const MAX_SHOWN_BYTES = 1_000_000;

export async function showAnswer(form: HTMLFormElement, answer: Response, durationMs: number): Promise<void> {
  const { status, statusText, headers } = answer;
  const text = await textOf(answer);
  const said = [statusText, `in ${Math.round(durationMs)} ms`].filter((part) => part !== ''); // HTTP/2 has no text
  const badge = element('span', `status status-${String(status).charAt(0)}`, String(status));
  say(form, badge, ` ${said.join(', ')}${limitOf(headers)}`);
  const list = element('dl', 'headers');
  for (const [name, value] of headers) list.append(element('dt', '', name), element('dd', '', value));
  one('.result', form).replaceChildren(
    element('h5', '', 'Body'),
    element('pre', '', element('code', '', text)),
    element('h5', '', 'Headers'),
    list,
  );
}

/** The error's own words are the browser's, and could have what was typed. */
export function showFailure(form: HTMLFormElement, error: unknown): void {
  const isLate = error instanceof DOMException && error.name === 'TimeoutError';
  say(form, isLate ? 'There was no answer in time.' : 'The request could not be sent, or its answer was cut off.');
  one('.result', form).replaceChildren();
}

function say(form: HTMLFormElement, ...parts: readonly (string | Node)[]): void {
  one('.outcome', form).replaceChildren(...parts);
}

/** `; 99 of 100 requests are left until 12:01:00` */
function limitOf(headers: Headers): string {
  const [limit, left, reset] = ['Limit', 'Remaining', 'Reset'].map((name) => headers.get(`X-RateLimit-${name}`));
  if (!limit || !left || !reset) return '';
  return `; ${left} of ${limit} requests are left until ${new Date(Number(reset) * 1_000).toLocaleTimeString()}`;
}

/** JSON is indented. */
async function textOf(answer: Response): Promise<string> {
  const text = await readSome(answer);
  if (!answer.headers.get('Content-Type')?.includes('json')) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

async function readSome({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let bytes = 0; reader;) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
    bytes += value.length;
    if (bytes <= MAX_SHOWN_BYTES) continue;
    await reader.cancel();
    return `${text}\n… (there is more, which is not shown)`;
  }
  return text + decoder.decode();
}
