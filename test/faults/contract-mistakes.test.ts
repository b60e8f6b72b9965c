/** The probe of the document can fail: each mistake, planted alone, is caught, and without one it finds nothing. */
import * as fc from 'fast-check';
import { runPath } from '../../shared/documents/paths';
import type { OperationId } from '../../shared/endpoint/operation-id';
import type { Document } from '../support/conformance/contract';
import { Contract, readDocument } from '../support/conformance/contract';
import type { TestService } from '../support/test-service';
import { HTTP_FUNCTIONS, useTestService } from '../support/test-service';
import { ContractProbe } from './contract/contract-probe';
import { callsOf } from './contract/drawn-call';
import { FAULTS_SEED, report } from './tier';

const MOST_CASES = 2_000;
const CONTROLS = 100;

const service = useTestService(...HTTP_FUNCTIONS);
afterEach(() => {
  mockTakesAnyEmail = false;
});

async function check(to: TestService, contract: Contract, operationId: OperationId, numRuns: number) {
  const described = contract.operations.find(({ operation }) => operation.operationId === operationId)!;
  const probe = new ContractProbe(to, contract);
  const property = fc.asyncProperty(callsOf(contract, described), (call) => probe.send(described, call));
  const result = await fc.check(property, { numRuns, seed: FAULTS_SEED, endOnFailure: true });
  probe.close();
  return result;
}

/** Expects that a mistake is found. */
async function expectCaught(mistake: string, contract: Contract, operationId: OperationId, said: RegExp) {
  const { failed, numRuns, errorInstance } = await check(service(), contract, operationId, MOST_CASES);
  const message = errorInstance instanceof Error ? errorInstance.message : '';
  const beginning = message.replace(/\s+/g, ' ').slice(0, 100);
  report(`the document and the code: ${mistake} is caught`, numRuns, failed ? 0 : 1, `by: ${beginning}`);
  expect(message).toMatch(said);
}

it.each<OperationId>(['upsertCustomers', 'deleteOrderItems', 'listRuns'])(
  'finds nothing in %s where no mistake is planted',
  async (operationId) => {
    const { errorInstance } = await check(service(), new Contract(readDocument()), operationId, CONTROLS);
    expect(errorInstance ?? null).toBeNull();
  },
);

const ALLOWED = /as documented is refused/;
const TAKEN = /wrong request is a success/;

const schema = (name: string) => ['components', 'schemas', name];
const RUNS = '/ingestion/google-cloud-storage/runs';
const LIMIT = ['paths', RUNS, 'get', 'parameters', '3', 'schema'];

/** What is changed in the document; undefined: it is removed. */
type Change = readonly [place: readonly string[], value: unknown];

// prettier-ignore
const MISTAKES: readonly (readonly [mistake: string, operationId: OperationId, said: RegExp, change: Change])[] = [
  ['a schema that allows more than the code', 'upsertCustomers', ALLOWED, [[...schema('Customer'), 'properties', 'Name', 'maxLength'], 1_000]],
  ['a schema that allows less than the code', 'upsertCustomers', TAKEN, [[...schema('Customer'), 'properties', 'Name', 'maxLength'], 2]],
  ['a pattern that allows less than the code', 'upsertOrders', TAKEN, [[...schema('Order'), 'properties', 'Currency', 'pattern'], '^[a-z]{3}$']],
  ['a field that is said to be required', 'upsertProducts', TAKEN, [[...schema('Product'), 'required'], ['ProductId', 'ProductVariants', 'ProductName']]],
  ['a required field that is not said to be', 'upsertOrders', ALLOWED, [[...schema('Order'), 'required'], ['OrderId']]],
  ['a rule that nothing names', 'upsertCustomers', ALLOWED, [['paths', '/customers/{tenantId}', 'post', 'x-rules'], undefined]],
  ['a bound of a parameter that is too wide', 'listRuns', ALLOWED, [[...LIMIT, 'maximum'], 1_000]],
  ['a bound of a parameter that is too narrow', 'listRuns', TAKEN, [[...LIMIT, 'maximum'], 50]],
  ['a parameter that is not said to be required', 'unregisterTransfer', ALLOWED, [['paths', '/ingestion/google-cloud-storage/unregister', 'delete', 'parameters', '0', 'required'], undefined]],
  ['a member that is not documented', 'upsertOrders', /additional properties/, [[...schema('UpsertResult'), 'properties', 'updated'], undefined]],
  ['a member that is said to be there', 'deleteProduct', /required property/, [[...schema('ProductDeleted'), 'required'], ['productId', 'deletedAt', 'count']]],
  ['a status that is not documented', 'getProduct', /status 404 .* not documented/, [['paths', '/products/{tenantId}/{productId}', 'get', 'responses', '404'], undefined]],
  ['a header that is not documented', 'getOrder', /x-trace-id is not documented/, [['paths', '/orders/{tenantId}/{orderId}', 'get', 'responses', '200', 'headers', 'X-Trace-Id'], undefined]],
  ['a message that is not documented', 'getRun', /message is not documented/, [['paths', `${RUNS}/{runId}`, 'get', 'responses', '404', 'content', 'application/json', 'examples', 'runNotFound'], undefined]],
];

it.each(MISTAKES)('catches %s', async (mistake, operationId, said, change) => {
  await expectCaught(mistake, new Contract(changed(readDocument(), change)), operationId, said);
});

/** @throws Error where nothing is at the place */
function changed(document: Document, [place, value]: Change): Document {
  const holder = place.slice(0, -1).reduce<unknown>((inner, name) => (inner as Readonly<Record<string, unknown>>)[name], document); // prettier-ignore
  const last = place.at(-1) ?? '';
  if (typeof holder !== 'object' || holder === null || !(last in holder))
    throw new Error(`Nothing is at ${place.join(' ')}.`);
  if (value === undefined) Reflect.deleteProperty(holder, last);
  else Reflect.set(holder, last, value);
  return document;
}

let mockTakesAnyEmail = false;

jest.mock('../../shared/domain/values/email', () => {
  const { isEmail } = jest.requireActual<{ isEmail: (text: string) => boolean }>('../../shared/domain/values/email');
  return { isEmail: (text: string) => mockTakesAnyEmail || isEmail(text) };
});

it('catches code that lets more through than the schema', async () => {
  mockTakesAnyEmail = true;
  await expectCaught('code that lets more through', new Contract(readDocument()), 'upsertCustomers', TAKEN);
});

it('catches a database that fails', async () => {
  service().store.failing = ({ method, paths: [path = ''] }) => method === 'get' && path.startsWith(runPath(''));
  await expectCaught('a database that fails', new Contract(readDocument()), 'getRun', /The answer was 500/);
});
