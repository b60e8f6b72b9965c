/**
 * Holds what the tests' clients send and receive against `openapi.json` (R-118). An answer has a documented status,
 * headers and body, and nothing else. A request that the document allows is refused as malformed only for a rule that
 * the document names. One whose body it does not allow is no success.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { HttpProblem } from '../../../shared/http/problems';
import { decodeSegment, parseTarget, queryParameter } from '../../../shared/http/request-target';
import type { Match } from '../../../shared/endpoint/router';
import { matchRoute } from '../../../shared/endpoint/router';
import type { DescribedOperation, Operation, Parameter, Response } from './contract';
import { HEADERS, OPERATIONS, schemaProblems } from './contract';

/** A request as it was sent, and its answer. */
export interface Exchanged {
  readonly functionName: string;
  readonly method: string;
  /** With the query, with or without the function's name. */
  readonly path: string;
  readonly sentHeaders: Readonly<Record<string, unknown>>;
  readonly body: string | Buffer | undefined;
  readonly status: number;
  readonly headers: IncomingHttpHeaders | Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Larger bodies are not looked at. */
const MAX_CHECKED_BYTES = 1024 * 1024;

/** They belong to the connection, to the framework's server, or to the body's own length and type. */
const OF_CONNECTION = ['connection', 'content-length', 'content-type', 'date', 'keep-alive', 'transfer-encoding'];

/** What is wrong with an exchange; empty: nothing. */
export function conformanceProblems(exchanged: Exchanged): string[] {
  const { functionName, method, path, status } = exchanged;
  const operations = OPERATIONS.filter((operation) => operation.functionName === functionName);
  const { segments, query } = parseTarget(path, functionName);
  let match: Match<DescribedOperation>;
  try {
    match = matchRoute(operations, method, segments);
  } catch (error) {
    return unknownRouteProblems(exchanged, error as HttpProblem);
  }
  const { operation, template } = match.route;
  const response = operation.responses[status];
  if (!response) return [`The status ${status} of ${operation.operationId} is not documented.`];
  const place = ['paths', template, method.toLowerCase(), 'responses', String(status)];
  return [
    ...headerProblems(exchanged, Object.keys(response.headers)),
    ...bodyProblems(exchanged, response, place),
    ...requestProblems(exchanged, match, query),
  ].map((problem) => `${operation.operationId} ${status}: ${problem}`);
}

/** @throws Error that says what is wrong */
export function requireConformance(exchanged: Exchanged): void {
  const problems = conformanceProblems(exchanged);
  if (problems.length === 0) return;
  const { method, path, text } = exchanged;
  throw new Error(`Not as in openapi.json: ${problems.join('\n')}\n${method} ${path}\n${text.slice(0, 500)}`);
}

/** What no operation has is 404, and 405 with the methods that the path has (D-35). */
function unknownRouteProblems({ status, headers }: Exchanged, expected: HttpProblem): string[] {
  const isKnown = status === expected.status && headers.allow === expected.headers.Allow;
  return isKnown ? [] : [`No operation is there, and the answer is ${status}, not ${expected.status}.`];
}

function headerProblems({ headers }: Exchanged, documented: readonly string[]): string[] {
  const names = documented.map((name) => name.toLowerCase());
  const unknown = Object.keys(headers).filter((name) => !names.includes(name) && !OF_CONNECTION.includes(name));
  const wrong = documented.flatMap((name) => {
    const { required, schema } = HEADERS[name]!;
    const text = headers[name.toLowerCase()];
    if (text === undefined) return required ? [`The header ${name} is missing.`] : [];
    const value = schema.type === 'integer' ? Number(text) : text;
    return schemaProblems(value, 'answer', 'components', 'headers', name, 'schema').map(
      (wrongs) => `${name}: ${wrongs}`,
    );
  });
  return [...unknown.map((name) => `The header ${name} is not documented.`), ...wrong];
}

function bodyProblems(exchanged: Exchanged, { content }: Response, place: readonly string[]): string[] {
  const { headers, text, status } = exchanged;
  const [type = ''] = String(headers['content-type'] ?? '').split(';');
  const documented = content[type];
  if (!documented) return [`The media type ${type} is not documented.`];
  const value = type === 'application/json' ? (JSON.parse(text) as unknown) : text;
  const problems = schemaProblems(value, 'answer', ...place, 'content', type, 'schema');
  return status === 200 || problems.length > 0
    ? problems
    : messageProblems(value, Object.values(documented.examples ?? {}));
}

/** The message of a refusal is one of the examples, but for its numbers. */
function messageProblems(value: unknown, examples: readonly { readonly value: unknown }[]): string[] {
  const message = messageOf(value);
  if (message === undefined) return [];
  const isDocumented = examples.some(
    ({ value: example }) => withoutNumbers(messageOf(example) ?? '') === withoutNumbers(message),
  );
  return isDocumented ? [] : [`The message is not documented: ${message}`];
}

function messageOf(value: unknown): string | undefined {
  const { message, Message } = value as { message?: string; Message?: string };
  return message ?? Message;
}

const withoutNumbers = (text: string) => text.toLowerCase().replace(/\d+/g, 'N');
const withoutField = (text: string) => withoutNumbers(text).replace(/the (field )?\w+ (field )?/, 'the field ');

function requestProblems(exchanged: Exchanged, match: Match<DescribedOperation>, query: string): string[] {
  const { status, text } = exchanged;
  if (status !== 400 && status !== 200) return [];
  const { operation, template, method } = match.route;
  const parameters = parameterProblems(operation, match.params, query);
  const body = operation.requestBody ? sentProblems(exchanged, ['paths', template, method.toLowerCase()]) : [];
  if (body === undefined) return [];
  const isSkipping = /[?&]onInvalid=skip/.test(exchanged.path);
  if (status === 200) return isSkipping ? [] : body.map((problem) => `A wrong body is a success: ${problem}`);
  if (parameters.length > 0 || body.length > 0) return [];
  return unexpectedRefusals(JSON.parse(text), operation).map((said) => `A request as documented is refused: ${said}`);
}

/** The messages of a refusal that no rule of the operation names. */
function unexpectedRefusals(answer: unknown, { 'x-rules': rules = [] }: Operation): string[] {
  const { errors } = answer as { readonly errors?: Readonly<Record<string, readonly string[]>> };
  const said = errors ? Object.values(errors).flat() : [messageOf(answer) ?? ''];
  const named = rules.map(({ message }) => withoutField(message));
  return said.filter((message) => !named.some((rule) => withoutField(message).includes(rule)));
}

/** What is wrong with the path and query. */
function parameterProblems(
  { parameters = [] }: Operation,
  params: Readonly<Record<string, string>>,
  query: string,
): string[] {
  return parameters.flatMap((parameter) => {
    try {
      if (parameter.in === 'header') return [];
      if (parameter.in === 'query') return valueProblems(parameter, queryParameter(query, parameter.name));
      const segment = params[parameter.name] ?? '';
      const isTenant = parameter.name === 'tenantId'; // which the document wants as it is
      return valueProblems(parameter, isTenant ? segment : decodeSegment(segment));
    } catch (error) {
      if (error instanceof HttpProblem) return [error.message];
      throw error;
    }
  });
}

/** Empty counts as absent, but where one of some words is asked for. */
function valueProblems({ name, required, schema }: Parameter, text: string | null): string[] {
  if (text === null || (text === '' && !('enum' in schema))) return required ? [`${name} is missing.`] : [];
  const {
    type,
    enum: words,
    pattern,
    format,
  } = schema as { type: string; enum?: string[]; pattern?: string; format?: string };
  if (words && !words.includes(text)) return [`${name} is another word.`];
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(text)) return [`${name} is blank.`];
  if (format === 'uuid' && !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return [`${name} is no GUID.`];
  const { minimum = -Infinity, maximum = Infinity } = schema as { minimum?: number; maximum?: number };
  const isNumber = type !== 'integer' || (/^\d+$/.test(text) && Number(text) >= minimum && Number(text) <= maximum);
  return isNumber ? [] : [`${name} is no such number.`];
}

/** What is wrong with a body; undefined: it is too large to be looked at. */
function sentProblems({ body = '', sentHeaders }: Exchanged, place: readonly string[]): string[] | undefined {
  if (body.length > MAX_CHECKED_BYTES) return undefined;
  const encoding = Object.entries(sentHeaders).find(([name]) => name.toLowerCase() === 'content-encoding')?.[1];
  const isGzip = typeof encoding === 'string' && /gzip/i.test(encoding);
  let value: unknown;
  try {
    const bytes = isGzip ? gunzipSync(body, { maxOutputLength: MAX_CHECKED_BYTES }) : Buffer.from(body);
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    return ['It is no JSON.'];
  }
  return schemaProblems(value, 'request', ...place, 'requestBody', 'content', 'application/json', 'schema');
}
