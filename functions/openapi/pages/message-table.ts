/** The messages of the document, by status, and what a caller should do about each. */
import { ADVICE } from './advice';
import type { ApiDocument, Operation } from './document';
import { operationsOf } from './document';
import { code, table } from './markdown';

/** A message, and what may be answered with it. */
interface Message {
  readonly status: number;
  readonly text: string;
  readonly operations: string[];
}

/**
 * A row for each advice.
 * @throws Error for a message without advice, or with two, and for advice without a message
 */
export function messageTable(document: ApiDocument): string {
  const operations = operationsOf(document);
  const byAdvice = new Map<string, Message[]>(ADVICE.map(([pattern]) => [pattern, []]));
  for (const message of messagesOf(operations)) {
    const patterns = ADVICE.filter(([pattern]) => isOf(pattern, message.text));
    if (patterns.length !== 1) throw new Error(`Number of advices for "${message.text}": ${patterns.length}.`);
    byAdvice.get(patterns[0]?.[0] ?? '')?.push(message);
  }
  const rows = ADVICE.map(([pattern, advice]) => {
    const messages = byAdvice.get(pattern) ?? [];
    if (messages.length === 0) throw new Error(`No message is "${pattern}".`);
    const statuses = [...new Set(messages.map(({ status }) => status))].join(', ');
    const texts = messages.map(({ text }) => code(text)).join('<br>');
    return [statuses, texts, namesOf(new Set(messages.flatMap((message) => message.operations)), operations), advice];
  });
  return table(['status', 'message', 'operations', 'what to do'], rows);
}

/** All but the successes, ordered by status; those of bodies are the messages of rules. */
function messagesOf(operations: readonly Operation[]): Message[] {
  const found = new Map<string, Message>();
  for (const operation of operations) {
    for (const [status, text] of refusalsOf(operation)) {
      const key = `${status} ${text}`;
      const message = found.get(key) ?? { status, text, operations: [] };
      if (!message.operations.includes(operation.operationId)) message.operations.push(operation.operationId);
      found.set(key, message);
    }
  }
  return [...found.values()].sort((a, b) => a.status - b.status);
}

function refusalsOf({ responses, 'x-rules': rules = [] }: Operation): [number, string][] {
  const shown = Object.entries(responses)
    .filter(([status]) => status !== '200')
    .flatMap(([status, { content = {} }]) =>
      Object.values(content['application/json']?.examples ?? {}).flatMap(({ value }) =>
        textsOf(value as ErrorBody).map((text): [number, string] => [Number(status), text]),
      ),
    );
  return [...shown, ...rules.map(({ message }): [number, string] => [400, message])];
}

interface ErrorBody {
  readonly message?: string;
  readonly Message?: string;
  readonly errors?: Readonly<Record<string, readonly string[]>>;
}

function textsOf({ message, Message, errors = {} }: ErrorBody): string[] {
  const text = message ?? Message;
  return text === undefined ? Object.values(errors).flat() : [text];
}

/** Whether a message is meant: `…` stands for any text. */
function isOf(pattern: string, text: string): boolean {
  const [start = '', ...parts] = pattern.split('…');
  const end = parts.pop();
  if (end === undefined) return text === pattern;
  let from = text.startsWith(start) ? start.length : -1;
  for (const part of parts) {
    const at = from === -1 ? -1 : text.indexOf(part, from);
    from = at === -1 ? -1 : at + part.length;
  }
  return from !== -1 && text.slice(from).endsWith(end);
}

/** Names of operations, shortened where they are all of a group, or most of all. */
function namesOf(names: ReadonlySet<string>, operations: readonly Operation[]): string {
  const hasParameter = ({ parameters = [] }: Operation, wanted: string) =>
    parameters.some(({ name }) => name === wanted);
  const groups = [
    { text: 'all', of: operations },
    { text: 'all with a body', of: operations.filter(({ requestBody }) => requestBody) },
    { text: 'all with an array as body', of: operations.filter((operation) => hasParameter(operation, 'onInvalid')) },
    { text: 'all with `tenantId` in their address', of: operations.filter((one) => hasParameter(one, 'tenantId')) },
  ];
  const group = groups.find(
    ({ of }) => of.length === names.size && of.every(({ operationId }) => names.has(operationId)),
  );
  if (group) return group.text;
  const others = operations.filter(({ operationId }) => !names.has(operationId)).map(({ operationId }) => operationId);
  const isMost = others.length < names.size;
  return (isMost ? 'all but ' : '') + (isMost ? others : [...names]).map(code).join(', ');
}
