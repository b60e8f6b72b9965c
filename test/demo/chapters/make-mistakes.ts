import { createKey, revokeKey } from '../../../shared/operations/keys';
import { updateTenant } from '../../../shared/operations/tenants';
import type { ApiRequest } from '../api-client';
import { answerProblems } from '../api-client';
import { ANY_TEXT } from '../compare';
import type { Demo } from '../context';
import type { Kind } from '../fields';
import type { Row } from '../report';
import { UPSERT_ROUTES } from '../routes';
import rejectedBatches from '../shop/rejected-batches.json';

type Errors = Readonly<Record<string, readonly string[]>>;

/** A request that must be refused, and how. */
interface Mistake {
  readonly title: string;
  readonly request: ApiRequest;
  readonly status: number;
  /** Of the envelope, or the errors of a body that is not valid. */
  readonly expected: string | Errors;
}

const UNKNOWN_TENANT = '00000000-0000-4000-8000-000000000000';

/** Makes the mistakes that clients make; none of them may store anything, which the comparison at the end shows. */
export async function makeMistakes(demo: Demo): Promise<void> {
  demo.report.progress('Making mistakes');
  const rows = [];
  for (const mistake of [...batchMistakes(demo), ...requestMistakes(demo), ...(await keyMistakes(demo))]) {
    rows.push(await make(demo, mistake));
  }
  rows.push(await leaveOutRequiredFields(demo));
  demo.report.chapter(
    'Mistakes',
    'What is refused, and what the answer says; a batch with one mistake is rejected whole.',
  );
  demo.report.table(['status', 'mistake', ''], rows);
}

function batchMistakes({ tenants: { aurora } }: Demo): Mistake[] {
  return rejectedBatches.map(({ title, kind, send, errors }) => ({
    title,
    request: { route: UPSERT_ROUTES[kind as Kind], params: { tenant: aurora.tenantId }, body: send, key: aurora.key },
    status: 400,
    expected: errors,
  }));
}

function requestMistakes({ bucket, tenants: { aurora } }: Demo): Mistake[] {
  const { key } = aurora;
  const params = { tenant: aurora.tenantId };
  const invalid = (message: string): Errors => ({ '': [message] });
  return [
    {
      title: 'an object in place of the array',
      request: { route: 'upsertCustomers', params, body: { Email: 'a@b.example' }, key },
      status: 400,
      expected: invalid('The request body must be a JSON array.'),
    },
    {
      title: 'a body cut off',
      request: { route: 'upsertOrders', params, body: '[{"OrderId":"X-3",', key },
      status: 400,
      expected: invalid('The request body is not valid JSON.'),
    },
    {
      title: 'delete a customer, but which?',
      request: { route: 'deleteCustomer', params, key },
      status: 400,
      expected: 'Customer ID or email is required.',
    },
    {
      title: 'delete a line, but which?',
      request: { route: 'deleteItem', params: { ...params, order: 'LINES-1' }, key },
      status: 400,
      expected: 'Product ID or SKU is required.',
    },
    {
      title: 'an hourly transfer at minute 75',
      request: {
        route: 'registerHourly',
        body: { TenantId: aurora.tenantId, BucketName: bucket.name, HourlyJobStartingMinuteUTC: 75 },
        key,
      },
      status: 400,
      expected: { HourlyJobStartingMinuteUTC: ['The field HourlyJobStartingMinuteUTC must be between 0 and 59.'] },
    },
    {
      title: 'a tenant that is no GUID',
      request: { route: 'upsertCustomers', params: { tenant: 'aurora' }, body: [], key },
      status: 400,
      expected: 'Invalid tenant identifier.',
    },
    {
      title: 'a tenant that does not exist',
      request: { route: 'upsertCustomers', params: { tenant: UNKNOWN_TENANT }, body: [], key },
      status: 404,
      expected: 'Tenant not found.',
    },
  ];
}

async function keyMistakes({ operator, tenants: { aurora, borealis } }: Demo): Promise<Mistake[]> {
  const { organization } = aurora;
  const customersOnly = await createKey({ organization, permissions: ['customers'] }, operator);
  const revoked = await createKey({ organization }, operator);
  await revokeKey(revoked.keyId, operator);
  const request = { route: 'upsertOrders', params: { tenant: aurora.tenantId }, body: [] } as const;
  return [
    { title: 'no key', request, status: 401, expected: ANY_TEXT },
    { title: 'a revoked key', request: { ...request, key: revoked.key }, status: 401, expected: ANY_TEXT },
    {
      title: "Borealis's key for Aurora's tenant",
      request: { ...request, key: borealis.key },
      status: 403,
      expected: ANY_TEXT,
    },
    {
      title: 'orders with a key for customers only',
      request: { ...request, key: customersOnly.key },
      status: 403,
      expected: ANY_TEXT,
    },
  ];
}

async function make({ client }: Demo, { title, request, status, expected }: Mistake): Promise<Row> {
  const answer = await client.send(request);
  const body =
    typeof expected === 'string' ? { success: false, message: expected, data: {} } : validationProblem(expected);
  const { message, errors } = answer.body as { message?: string; errors?: Errors };
  return {
    cells: [answer.status, title, message ?? ''],
    problems: answerProblems(answer, status, body),
    ...(errors && { details: describeErrors(errors) }),
  };
}

/** The tenant's settings count from the next request on. */
async function leaveOutRequiredFields(demo: Demo): Promise<Row> {
  const { operator, tenants } = demo;
  const { tenantId, key } = tenants.borealis;
  await updateTenant(tenantId, { required: ['Language', 'GdprOptin'] }, operator);
  const row = await make(demo, {
    title: 'without fields just made mandatory',
    request: {
      route: 'upsertCustomers',
      params: { tenant: tenantId },
      body: [{ CustomerId: 'late-1' }],
      key,
    },
    status: 400,
    expected: {
      '[0].Language': ['The Language field is required.'],
      '[0].GdprOptin': ['The GdprOptin field is required.'],
    },
  });
  await updateTenant(tenantId, { required: [] }, operator);
  return row;
}

function validationProblem(errors: Errors): object {
  return {
    type: 'https://tools.ietf.org/html/rfc7231#section-6.5.1',
    title: 'One or more validation errors occurred.',
    status: 400,
    traceId: ANY_TEXT,
    errors,
  };
}

function describeErrors(errors: Errors): string[] {
  const width = Math.max(...Object.keys(errors).map((path) => path.length)) + 2;
  return Object.entries(errors).flatMap(([path, messages]) =>
    messages.map((message) => `${JSON.stringify(path).padEnd(width)}  ${message}`),
  );
}
