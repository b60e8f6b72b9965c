/**
 * Holds what the tests' clients send and receive against `openapi.json` (R-118). An answer has a documented status,
 * headers and body, and nothing else. A request that the document allows is refused as malformed only for a rule that
 * the document names. One that it does not allow is no success.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { HttpProblem } from '../../../shared/http/problems';
import { decodeSegment, parseTarget, queryParameter } from '../../../shared/http/request-target';
import type { Match } from '../../../shared/endpoint/router';
import { matchRoute } from '../../../shared/endpoint/router';
import type { Contract, DescribedOperation, Operation, Parameter, Response } from './contract';
import { CONTRACT, UUID } from './contract';

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
export function conformanceProblems(exchanged: Exchanged, contract: Contract = CONTRACT): string[] {
  const { method, status } = exchanged;
  const matched = matchOf(exchanged, contract);
  if (matched instanceof HttpProblem) return unknownRouteProblems(exchanged, matched);
  const { match, query } = matched;
  const { operation, template } = match.route;
  const response = operation.responses[status];
  if (!response) return [`The status ${status} of ${operation.operationId} is not documented.`];
  const place = ['paths', template, method.toLowerCase(), 'responses', String(status)];
  return [
    ...headerProblems(exchanged, Object.keys(response.headers), contract),
    ...bodyProblems(exchanged, response, place, contract),
    ...requestProblems(exchanged, match, query, contract),
  ].map((problem) => `${operation.operationId} ${status}: ${problem}`);
}

/** The operation of a request, and whether the document allows it; undefined: of none, or too large to tell. */
export function describeRequest(
  exchanged: Exchanged,
  contract: Contract,
): { readonly operation: Operation; readonly isAllowed: boolean } | undefined {
  const matched = matchOf(exchanged, contract);
  if (matched instanceof HttpProblem) return undefined;
  const { target, body } = deviationsOf(exchanged, matched.match, matched.query, contract);
  const isAllowed = target.length === 0 && body?.length === 0;
  return body && { operation: matched.match.route.operation, isAllowed };
}

/** The operation of a request; the problem that it is answered with where there is none. */
function matchOf(
  { functionName, method, path }: Exchanged,
  contract: Contract,
): { readonly match: Match<DescribedOperation>; readonly query: string } | HttpProblem {
  const operations = contract.operations.filter((operation) => operation.functionName === functionName);
  const { segments, query } = parseTarget(path, functionName);
  try {
    return { match: matchRoute(operations, method, segments), query };
  } catch (error) {
    if (error instanceof HttpProblem) return error;
    throw error;
  }
}

/** @throws Error that says what is wrong */
export function requireConformance(exchanged: Exchanged, contract: Contract = CONTRACT): void {
  const problems = conformanceProblems(exchanged, contract);
  if (problems.length === 0) return;
  const { method, path, text } = exchanged;
  throw new Error(`Not as in openapi.json: ${problems.join('\n')}\n${method} ${path}\n${text.slice(0, 500)}`);
}

/** What no operation has is 404, and 405 with the methods that the path has (D-35). */
function unknownRouteProblems({ status, headers }: Exchanged, expected: HttpProblem): string[] {
  const isKnown = status === expected.status && headers.allow === expected.headers.Allow;
  return isKnown ? [] : [`No operation is there, and the answer is ${status}, not ${expected.status}.`];
}

function headerProblems({ headers }: Exchanged, documented: readonly string[], contract: Contract): string[] {
  const names = documented.map((name) => name.toLowerCase());
  const unknown = Object.keys(headers).filter((name) => !names.includes(name) && !OF_CONNECTION.includes(name));
  const wrong = documented.flatMap((name) => {
    const { required, schema } = contract.headers[name]!;
    const text = headers[name.toLowerCase()];
    if (text === undefined) return required ? [`The header ${name} is missing.`] : [];
    const value = schema.type === 'integer' ? Number(text) : text;
    const problems = contract.schemaProblems(value, 'answer', 'components', 'headers', name, 'schema');
    return problems.map((problem) => `${name}: ${problem}`);
  });
  return [...unknown.map((name) => `The header ${name} is not documented.`), ...wrong];
}

function bodyProblems(
  { headers, text, status }: Exchanged,
  { content }: Response,
  place: readonly string[],
  contract: Contract,
): string[] {
  const [type = ''] = String(headers['content-type'] ?? '').split(';');
  const documented = content[type];
  if (!documented) return [`The media type ${type} is not documented.`];
  const value = type === 'application/json' ? (JSON.parse(text) as unknown) : text;
  const problems = contract.schemaProblems(value, 'answer', ...place, 'content', type, 'schema');
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

/** The statuses that call a request malformed. */
const MALFORMED = [400, 415];

function requestProblems(
  exchanged: Exchanged,
  match: Match<DescribedOperation>,
  query: string,
  contract: Contract,
): string[] {
  const { status, text } = exchanged;
  const isMalformed = MALFORMED.includes(status);
  if (status !== 200 && !isMalformed) return [];
  const { operation } = match.route;
  const { target, body } = deviationsOf(exchanged, match, query, contract);
  if (status === 200) {
    const skipped = operation.requestBody ? skippedElements(JSON.parse(text)) : [];
    const isSkipped = (problem: string) => skipped.includes(Number(/^\/(\d+)/.exec(problem)?.[1] ?? -1));
    const wrong = [...target, ...(body ?? []).filter((problem) => !isSkipped(problem))];
    return wrong.map((problem) => `A wrong request is a success: ${problem}`);
  }
  if (!body || target.length > 0 || body.length > 0 || !isDecodable(query)) return [];
  return unexpectedRefusals(JSON.parse(text), operation).map((said) => `A request as documented is refused: ${said}`);
}

/** An operation may refuse a malformed encoding also in a parameter that it does not have. */
function isDecodable(query: string): boolean {
  try {
    queryParameter(query, 'any');
    return true;
  } catch {
    return false;
  }
}

/** The indexes of the elements that an answer says to have left out. */
function skippedElements(answer: unknown): number[] {
  const { data } = answer as { readonly data?: { readonly rejected?: readonly { readonly index: number }[] } };
  return (data?.rejected ?? []).map(({ index }) => index);
}

interface Deviations {
  readonly target: readonly string[];
  /** Undefined: it is too large to be looked at. */
  readonly body: readonly string[] | undefined;
}

/** Where a request is not as documented. */
function deviationsOf(
  exchanged: Exchanged,
  { route, params }: Match<DescribedOperation>,
  query: string,
  contract: Contract,
): Deviations {
  const { operation } = route;
  return {
    target: targetDeviations(operation, params, query),
    body: operation.requestBody ? bodyDeviations(exchanged, route, contract) : [],
  };
}

/** The messages of a refusal that no rule of the operation names. */
function unexpectedRefusals(answer: unknown, { 'x-rules': rules = [] }: Operation): string[] {
  const { errors } = answer as { readonly errors?: Readonly<Record<string, readonly string[]>> };
  const said = errors ? Object.values(errors).flat() : [messageOf(answer) ?? ''];
  const named = rules.map(({ message }) => withoutField(message));
  return said.filter((message) => !named.some((rule) => withoutField(message).includes(rule)));
}

/** Where a path and query are not as documented. */
function targetDeviations(
  { parameters = [] }: Operation,
  params: Readonly<Record<string, string>>,
  query: string,
): string[] {
  return parameters.flatMap((parameter) => {
    try {
      if (parameter.in === 'header') return [];
      if (parameter.in === 'query') return valueProblems(parameter, queryParameter(query, parameter.name));
      return valueProblems(parameter, decodeSegment(params[parameter.name] ?? ''));
    } catch (error) {
      if (error instanceof HttpProblem) return [error.message];
      throw error;
    }
  });
}

/** A text where it may be empty counts as absent when it is blank, and white space around it is ignored. */
function valueProblems({ name, required, schema, allowEmptyValue }: Parameter, sent: string | null): string[] {
  const text = allowEmptyValue ? (sent ?? '').trim() : sent;
  if (text === null || (allowEmptyValue && text === '')) return required ? [`${name} is missing.`] : [];
  const {
    type,
    enum: words,
    pattern,
    format,
  } = schema as { type: string; enum?: string[]; pattern?: string; format?: string };
  if (words && !words.includes(text)) return [`${name} is another word.`];
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(text)) return [`${name} is blank.`];
  if (format === 'uuid' && !UUID.test(text)) return [`${name} is no GUID.`];
  const { minimum = -Infinity, maximum = Infinity } = schema as { minimum?: number; maximum?: number };
  const isNumber = type !== 'integer' || (/^\d+$/.test(text) && Number(text) >= minimum && Number(text) <= maximum);
  return isNumber ? [] : [`${name} is no such number.`];
}

/** JSON in UTF-8, by any of its names (RFC 6839), compressed or not. */
const MEDIA_TYPE = /^(application|text)\/([a-z0-9.-]+\+)?json *(; *charset="?(utf-?8|us-ascii)"? *)?$/i;
const CODING = /^ *(gzip|x-gzip|identity)? *$/i; // `x-gzip` is `gzip` (RFC 9110)

/** Where a body, and the headers that tell how to read it, are not as documented; undefined: too large to tell. */
function bodyDeviations(
  { body = '', sentHeaders }: Exchanged,
  { template, method }: DescribedOperation,
  contract: Contract,
): string[] | undefined {
  const { 'content-type': type = '', 'content-encoding': coding = '' } = lowerCased(sentHeaders);
  if (type !== '' && !MEDIA_TYPE.test(type)) return [`It is said to be ${type}.`];
  if (!CODING.test(coding)) return [`It is said to be encoded as ${coding}.`];
  if (body.length > MAX_CHECKED_BYTES) return undefined;
  let value: unknown;
  try {
    const isGzip = /gzip/i.test(coding);
    const bytes = isGzip ? gunzipSync(body, { maxOutputLength: MAX_CHECKED_BYTES }) : Buffer.from(body);
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    return ['It is no JSON.'];
  }
  const place = ['paths', template, method.toLowerCase(), 'requestBody', 'content', 'application/json', 'schema'];
  return contract.schemaProblems(value, 'request', ...place);
}

function lowerCased(headers: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));
}
