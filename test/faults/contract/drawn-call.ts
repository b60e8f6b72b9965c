/** Draws requests of an operation from the document: as it allows them, or with one mistake in any of their parts. */
import * as fc from 'fast-check';
import { gzipSync } from 'node:zlib';
import type { Permission } from '../../../shared/domain/api-key';
import { PERMISSIONS } from '../../../shared/domain/api-key';
import type { TenantSettings } from '../../../shared/domain/tenant';
import type { Content, Contract, DescribedOperation, Parameter } from '../../support/conformance/contract';
import { SchemaValues } from './schema-values';

/** A request, and to whom it is sent. */
export interface DrawnCall {
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  readonly key: 'good' | 'none' | 'unknown';
  /** Of the key. */
  readonly permissions: readonly Permission[];
  /** Of the tenant. */
  readonly settings: Partial<TenantSettings>;
}

const settings: fc.Arbitrary<Partial<TenantSettings>> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.constant({ requiredFields: ['Language', 'GdprOptin'] }) },
  { weight: 1, arbitrary: fc.constant({ customerIdentifier: 'customerid' as const, orderCustomer: 'customerid' as const }) }, // prettier-ignore
  { weight: 1, arbitrary: fc.constant({ productIdentifier: 'sku' as const }) },
);
const caller = fc.record({
  key: fc.oneof(
    { weight: 30, arbitrary: fc.constant('good' as const) },
    { weight: 1, arbitrary: fc.constantFrom('none' as const, 'unknown' as const) },
  ),
  permissions: fc.oneof(
    { weight: 30, arbitrary: fc.constant(PERMISSIONS) },
    { weight: 1, arbitrary: fc.subarray([...PERMISSIONS]) },
  ),
  settings,
});

/** What may be wrong with a request beside its parameters. */
type Part = 'body' | 'syntax' | 'coding' | 'media type' | 'names';

/** The requests of one operation. */
export function callsOf(contract: Contract, described: DescribedOperation): fc.Arbitrary<DrawnCall> {
  const values = new SchemaValues(contract.schemas, knownValues(contract));
  const { operation, template } = described;
  const { parameters = [], requestBody, responses } = operation;
  const inPathOrQuery = parameters.filter((parameter) => parameter.in !== 'header');
  const bodyParts: readonly Part[] = requestBody ? ['body', 'body', 'body', 'syntax', 'coding', 'media type'] : [];
  const parts = [...inPathOrQuery.map(({ name }) => name), ...bodyParts, 'names' as const];
  const types = Object.keys(responses['200']?.content ?? {});
  const withMistake = (wrong: string | undefined): fc.Arbitrary<DrawnCall> =>
    fc
      .record({
        texts: fc.tuple(...inPathOrQuery.map((parameter) => textsOf(values, parameter, wrong === parameter.name))),
        extra: wrong === 'names' ? extraPair(inPathOrQuery) : fc.constant(undefined),
        sent: requestBody ? sentBody(values, requestBody.content['application/json'], wrong) : fc.constant(undefined),
        accept: fc.constantFrom('*/*', ...types),
        caller,
      })
      .map(({ texts, extra, sent, accept, caller: who }) => ({
        ...who,
        path: toPath(template, inPathOrQuery, texts, extra),
        headers: { accept, ...sent?.headers },
        body: sent?.bytes,
      }));
  return fc.oneof({ weight: parts.length, arbitrary: withMistake(undefined) }, ...parts.map(withMistake));
}

/** The texts that are sent as one parameter, encoded: none where it is left out, two where it is repeated. */
function textsOf(values: SchemaValues, parameter: Parameter, isSpoiled: boolean): fc.Arbitrary<readonly string[]> {
  const { name, schema, required = false } = parameter;
  const allowed = fc.tuple(values.allowed(schema, name), fc.nat(4)).map(([value, how]) => encode(toText(value), how));
  const isInPath = parameter.in === 'path';
  if (isSpoiled) {
    const scalar = values.spoiled(schema, name).map((value) => encode(toText(value), 1));
    const encoded = fc.oneof({ weight: 2, arbitrary: scalar }, fc.constantFrom('%E0%A4%A', '%', '', '%20'));
    const one = encoded.map((text) => [text]);
    return isInPath ? one : fc.oneof({ weight: 6, arbitrary: one }, fc.tuple(allowed, allowed), fc.constant([]));
  }
  const one = allowed.map((text) => [text]);
  return required || isInPath
    ? one
    : fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 2, arbitrary: one });
}

/** Lone halves of characters have no encoding. @param how 0: each byte of it is percent-encoded */
function encode(text: string, how: number): string {
  const wellFormed = text.toWellFormed();
  if (how > 0) return encodeURIComponent(wellFormed);
  return Array.from(Buffer.from(wellFormed), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A parameter that is not documented: another one's name in another case, or any other. */
function extraPair(parameters: readonly Parameter[]): fc.Arbitrary<string> {
  const misspelt = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name.toUpperCase());
  const names = [...misspelt, 'further', 'validateOnly', 'VALIDATEONLY'];
  return fc.tuple(fc.constantFrom(...names), fc.constantFrom('', '=', '=true', '=skip', '=1')).map((pair) => pair.join('')); // prettier-ignore
}

function toPath(
  template: string,
  parameters: readonly Parameter[],
  texts: readonly (readonly string[])[],
  extra: string | undefined,
): string {
  const sent = parameters.map((parameter, index) => ({ parameter, texts: texts[index] ?? [] }));
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    return sent.find(({ parameter }) => parameter.name === name)?.texts[0] ?? '';
  });
  const pairs = sent.flatMap(({ parameter, texts: ofOne }) =>
    parameter.in === 'query' ? ofOne.map((text) => `${parameter.name}=${text}`) : [],
  );
  const query = [...pairs, ...(extra === undefined ? [] : [extra])].join('&');
  return query === '' ? path : `${path}?${query}`;
}

interface SentBody {
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

const NO_JSON = [Buffer.from(''), Buffer.from('{'), Buffer.from('[NaN]'), Buffer.from('[{"Email":"\\x"}]'), Buffer.from([0x5b, 0xff, 0x5d])]; // prettier-ignore
const mediaType = fc.constantFrom({}, ...['application/json', 'application/json; charset=utf-8'].map((type) => ({ 'content-type': type }))); // prettier-ignore
const otherType = fc.constantFrom('text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-16').map((type) => ({ 'content-type': type })); // prettier-ignore

/** A body with the headers that tell how to read it. */
function sentBody(values: SchemaValues, { schema }: Content, wrong: string | undefined): fc.Arbitrary<SentBody> {
  const drawn = wrong === 'body' ? values.spoiled(schema) : values.allowed(schema);
  const json = drawn.map((value) => Buffer.from(JSON.stringify(value)));
  const bytes = wrong === 'syntax' ? fc.constantFrom(...NO_JSON) : json;
  const coded = fc.tuple(bytes, wrong === 'coding' ? falseCoding : coding).map(([plain, code]) => code(plain));
  return fc.tuple(coded, wrong === 'media type' ? otherType : mediaType).map(([sent, type]) => ({ ...sent, headers: { ...sent.headers, ...type } })); // prettier-ignore
}

type Coding = (plain: Buffer) => SentBody;
const named = (name: string, encoded: (plain: Buffer) => Buffer = (plain) => plain): Coding => (plain) => ({ bytes: encoded(plain), headers: { 'content-encoding': name } }); // prettier-ignore
const coding = fc.constantFrom<Coding>((bytes) => ({ bytes, headers: {} }), named('identity'), named('gzip', gzipSync));
const falseCoding = fc.constantFrom<Coding>(named('br'), named('gzip'), named('gzip, gzip', gzipSync), named('gzip', (plain) => gzipSync(plain).subarray(0, -4))); // prettier-ignore

/** Texts of all examples in the document by the name of their field or parameter. */
function knownValues({ operations }: Contract): Map<string, readonly unknown[]> {
  const known = new Map<string, Set<unknown>>();
  const add = (name: string, value: unknown): void => {
    if (typeof value === 'string') known.set(name, (known.get(name) ?? new Set()).add(value));
    else if (Array.isArray(value)) for (const element of value) add(name, element);
    else if (typeof value === 'object' && value !== null) for (const [member, inner] of Object.entries(value)) add(member, inner); // prettier-ignore
  };
  for (const { operation } of operations) {
    const { parameters = [], requestBody, responses } = operation;
    const contents = [requestBody, ...Object.values(responses)].flatMap((one) => Object.values<Content>(one?.content ?? {})); // prettier-ignore
    for (const { name, examples = {} } of parameters) for (const { value } of Object.values(examples)) add(name, value);
    for (const { examples = {} } of contents) for (const { value } of Object.values(examples)) add('', value);
  }
  return new Map([...known].map(([name, texts]) => [name, [...texts]] as const));
}
