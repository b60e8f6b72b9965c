/** Which changes of the document break clients: each is compared in both directions, all in one run of each. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BreakingChange, ComparedDocument } from '../../../functions/openapi/breaking/breaking-change';
import { announcedBreaks } from '../../../functions/openapi/breaking/changelog';
import { ownComparison } from '../../../functions/openapi/breaking/own-comparison';
import { redoclyDiff } from '../../../functions/openapi/breaking/redocly-diff';

/** What differs between two operations. What is left out is as in `operationOf`. */
interface Side {
  readonly operationId?: string;
  readonly summary?: string;
  readonly permission?: string;
  readonly parameter?: object;
  readonly body?: object;
  readonly data?: object;
  readonly type?: string;
  readonly headers?: object;
  readonly responses?: object;
  readonly rules?: readonly object[];
  /** The schema of the body by a name. */
  readonly named?: string;
}

const query = (schema: object, more: object = {}) => ({ name: 'status', in: 'query', schema, ...more });
const object = (properties: object, required: readonly string[] = []) => ({ type: 'object', properties, required });
const text = { type: 'string' };
const rule = (message: string) => ({ rule: message, message });

/** A change, and what breaks when it is made, and when it is taken back; null: nothing. */
type Case = readonly [
  title: string,
  before: Side | null,
  after: Side | null,
  made: RegExp | null,
  undone: RegExp | null,
];

const CASES: readonly Case[] = [
  ['an operation', {}, null, /was removed/, null],
  ['the name of an operation', { operationId: 'one' }, { operationId: 'another' }, /operationId/, /operationId/],
  ['a text', { summary: 'One.' }, { summary: 'Another.' }, null, null],
  ['the permission', { permission: 'orders' }, { permission: 'customers' }, /new scopes/, /new scopes/],
  ['a parameter', { parameter: query(text) }, {}, /removed/, null],
  ['a required parameter', {}, { parameter: query(text, { required: true }) }, /was added/, /removed/],
  ['what is required', { parameter: query(text) }, { parameter: query(text, { required: true }) }, /required/, null],
  ['a word', { parameter: query({ ...text, enum: ['a', 'b'] }) }, { parameter: query({ ...text, enum: ['a'] }) }, /lost values/, null],
  ['a bound', { parameter: query({ type: 'integer', maximum: 9 }) }, { parameter: query({ type: 'integer', maximum: 8 }) }, /Upper bound/, null],
  ['a field of a body', { body: object({ Name: text, Phone: text }) }, { body: object({ Name: text }) }, /Phone.*was removed/, null],
  ['a field of an element', { body: { type: 'array', items: object({ Phone: text }) } }, { body: { type: 'array', items: object({}) } }, /Phone.*was removed/, null],
  ['a required field', { body: object({ Name: text }) }, { body: object({ Name: text }, ['Name']) }, /became required/, null],
  ['null in a body', { body: object({ Name: { type: ['string', 'null'] } }) }, { body: object({ Name: text }) }, /narrowed/, null],
  ['a length', { body: object({ Name: { ...text, maxLength: 9 } }) }, { body: object({ Name: { ...text, maxLength: 8 } }) }, /maxLength/, null],
  ['a pattern', { body: object({ Name: text }) }, { body: object({ Name: { ...text, pattern: '^a' } }) }, /pattern/, null],
  ['a number of elements', { body: { type: 'array', maxItems: 9, items: text } }, { body: { type: 'array', maxItems: 8, items: text } }, /maxItems/, null],
  ['a rule', { rules: [rule('A.')] }, { rules: [rule('A.'), rule('B.')] }, /new rule: B/, null],
  ['the name of a schema', { named: 'Shoe', body: object({}) }, { named: 'Boot', body: object({}) }, /`Shoe` was removed/, /`Boot` was removed/],
  ['a member of an answer', { data: object({ a: text, b: text }) }, { data: object({ a: text }) }, /`b`.*was removed/, null],
  ['what is always in an answer', { data: object({ a: text }, ['a']) }, { data: object({ a: text }) }, /no longer required/, null],
  ['a word of an answer', { data: object({ a: { ...text, enum: ['a'] } }) }, { data: object({ a: { ...text, enum: ['a', 'b'] } }) }, /gained values/, null],
  ['null in an answer', { data: object({ a: text }) }, { data: object({ a: { type: ['string', 'null'] } }) }, /widened/, null],
  ['a status', { responses: { 404: { description: 'None.' } } }, {}, /`404` was removed/, null],
  ['a header', { headers: { 'X-A': { schema: text } } }, {}, /header.*removed/i, null],
  ['a media type', {}, { type: 'text/csv' }, /application\/json/, /text\/csv/],
]; // prettier-ignore

function operationOf(side: Side, index: number): object {
  const { operationId = `case${index}`, summary = 'A case.', permission = 'orders', parameter, body, data = {}, type = 'application/json', headers = {}, responses = {}, rules = [], named } = side; // prettier-ignore
  const schema = named === undefined ? body : { $ref: `#/components/schemas/${named}` };
  return {
    operationId,
    summary,
    security: [{ ApiKey: [permission] }],
    ...(parameter && { parameters: [parameter] }),
    ...(body && { requestBody: { content: { 'application/json': { schema } } } }),
    responses: { 200: { description: 'Done.', headers, content: { [type]: { schema: data } } }, ...responses },
    'x-rules': rules,
  };
}

function documentOf(sides: readonly (Side | null)[]): ComparedDocument {
  const paths = sides.flatMap((side, index) => (side ? [[`/case-${index}`, { post: operationOf(side, index) }]] : []));
  const schemas = sides.flatMap((side) => (side?.named === undefined ? [] : [[side.named, side.body]]));
  return {
    openapi: '3.1.0',
    info: { title: 'Cases', version: '1.0.0' },
    paths: Object.fromEntries(paths) as ComparedDocument['paths'],
    components: {
      securitySchemes: { ApiKey: { type: 'apiKey', in: 'header', name: 'x-key' } },
      schemas: Object.fromEntries(schemas) as NonNullable<ComparedDocument['components']>['schemas'],
    },
  } as ComparedDocument;
}

let made: BreakingChange[];
let undone: BreakingChange[];
beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), 'breaking-'));
  const files = [join(folder, 'before.json'), join(folder, 'after.json')] as const;
  const documents = [
    documentOf(CASES.map(([, before]) => before)),
    documentOf(CASES.map(([, , after]) => after)),
  ] as const;
  for (const [index, file] of files.entries()) writeFileSync(file, JSON.stringify(documents[index]));
  made = [...redoclyDiff(files, documents), ...ownComparison(...documents)];
  undone = [
    ...redoclyDiff([files[1], files[0]], [documents[1], documents[0]]),
    ...ownComparison(documents[1], documents[0]),
  ];
  rmSync(folder, { recursive: true });
});

it.each(CASES.map((one, index) => [...one, index] as const))(
  'tells when %s breaks clients (R-148)',
  (_, before, after, whenMade, whenUndone, index) => {
    const names = [`case${index}`, before?.operationId, after?.operationId, before?.named, after?.named];
    const said = (changes: readonly BreakingChange[]) => changes.filter(({ subject }) => names.includes(subject)).map(({ message }) => message).join('\n'); // prettier-ignore
    for (const [changes, expected] of [
      [made, whenMade],
      [undone, whenUndone],
    ] as const) {
      // prettier-ignore
      if (expected) expect(said(changes)).toMatch(expected);
    else expect(said(changes)).toBe('');
    }
  },
);

describe('the changelog (R-148)', () => {
  const changelog = [
    '# Changelog',
    '## Unreleased',
    '- **Breaking:** `upsertCustomers` refuses more,',
    '  and `Order` has another name.',
    '- `findCustomers` is faster.',
    '## 0.1.0',
    '- **Breaking:** `getOrder` is gone.',
  ].join('\n');

  it('tells of a break where an entry since the last release says so', () => {
    expect([...announcedBreaks(changelog)]).toEqual(['upsertCustomers', 'Order']);
  });

  it('tells of none without such an entry', () => {
    expect(announcedBreaks('# Changelog\n## 0.1.0\n').size).toBe(0);
  });
});
