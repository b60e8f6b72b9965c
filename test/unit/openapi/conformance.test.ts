import type { Exchanged } from '../../support/conformance/conformance';
import { conformanceProblems } from '../../support/conformance/conformance';
import { CONTRACT } from '../../support/conformance/contract';

const TENANT = '11111111-1111-4111-8111-111111111111';
const ANSWER = {
  success: true,
  message: 'Customers saved.',
  data: { count: 1, created: 1, updated: 0, processedAt: '2026-03-01T12:00:30.000Z' },
};

function exchanged(changes: Partial<Exchanged> & { readonly answer?: object } = {}): Exchanged {
  const { answer = ANSWER, ...rest } = changes;
  return {
    functionName: 'customers',
    method: 'POST',
    path: `/customers/${TENANT}`,
    sentHeaders: {},
    body: '[{"Email":"ada@example.com"}]',
    status: 200,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-ratelimit-limit': '100',
      'x-ratelimit-remaining': '99',
      'x-ratelimit-reset': '1772366460',
      'x-trace-id': '0af7651916cd43dd8448eb211c80319c',
    },
    text: JSON.stringify(answer),
    ...rest,
  };
}

it('finds nothing in an exchange as documented (R-118)', () => {
  expect(conformanceProblems(exchanged())).toEqual([]);
});

it.each<[string, Parameters<typeof exchanged>[0], RegExp]>([
  ['a member that is not documented', { answer: { ...ANSWER, more: 1 } }, /additional properties/],
  ['a nested one', { answer: { ...ANSWER, data: { ...ANSWER.data, more: 1 } } }, /additional properties/],
  ['a missing member', { answer: { ...ANSWER, data: { count: 1 } } }, /required/],
  ['another message', { answer: { ...ANSWER, message: 'Saved.' } }, /allowed values/],
  ['a status', { status: 418 }, /status 418 .* not documented/],
  ['a header', { headers: { ...exchanged().headers, 'x-more': '1' } }, /x-more is not documented/],
  ['a missing header', { headers: { 'content-type': 'application/json' } }, /X-Trace-Id is missing/],
  ['a success of a wrong body', { body: '[{"Email":"no address"}]' }, /wrong request is a success/],
  [
    'a refusal of a request as documented',
    { status: 400, answer: { success: false, message: 'Invalid tenant identifier.', data: {} } },
    /as documented is refused/,
  ],
  [
    'a message of a refusal',
    { status: 404, answer: { success: false, message: 'No such tenant.', data: {} } },
    /message is not documented/,
  ],
])('finds %s (R-118)', (_, changes, problem) => {
  expect(conformanceProblems(exchanged(changes)).join('\n')).toMatch(problem);
});

it('lets answers gain members: no schema of the document forbids them (R-118)', () => {
  expect(JSON.stringify([CONTRACT.schemas, CONTRACT.operations])).not.toContain('"additionalProperties":false');
});

it('gives no field of a body the keyword `default`, which clients would send (R-119)', () => {
  const bodies = CONTRACT.operations.flatMap(({ operation }) => operation.requestBody ?? []);
  const named = ['Customer', 'Product', 'ProductVariant', 'Order', 'OrderItem', 'TransferOptions'];
  const texts = named.map((name) => JSON.stringify(CONTRACT.schemas[name]));
  expect([JSON.stringify(bodies), ...texts].filter((text) => text.includes('"default":'))).toEqual([]);
});
