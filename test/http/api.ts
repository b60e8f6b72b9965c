/**
 * The routes (Spec §4.1, R-50, R-68) with a valid request each, and the shapes of answers (§2.8, §7.2, §8).
 */
import type { DocumentChange } from '../../shared/documents/document-store';
import { recordPath } from '../../shared/documents/paths';
import type { Permission } from '../../shared/domain/api-key';
import type { RecordId, RecordKind } from '../../shared/domain/identity';
import { customerRecordId, orderRecordId, productRecordId } from '../../shared/domain/identity';
import { DEFAULT_SETTINGS } from '../../shared/domain/tenant';
import { toCustomerDocument, toDocument } from '../../shared/workspace/record-documents';
import type { Received } from '../support/http-exchange';
import {
  runningRunDto,
  runningRunId,
  storedErrorDto,
  storedFileDto,
  storedRunDto,
  storedRunId,
  storedTransferDto,
} from '../support/stored-run';
import { STORED_USAGE_DTO, USAGE_QUERY } from '../support/stored-usage';
import type { Caller, FunctionName, RequestOptions, TestService } from '../support/test-service';
import type { HTTP_FUNCTIONS } from '../support/test-service';
import { useTestService } from '../support/test-service';

/** The time on the clock of a new `TestService`, the next minute as Unix time, and the seconds until then. */
export const NOW = '2026-03-01T12:00:30.000Z';
export const RESET = Date.parse('2026-03-01T12:01:00.000Z') / 1000;
export const SECONDS_TO_RESET = 30;

export const UNAUTHORIZED = 'The API key is missing, incorrect or revoked.';
export const UNEXPECTED = 'An unexpected error occurred. Please try again.';

export interface ApiRoute {
  readonly to: (typeof HTTP_FUNCTIONS)[number];
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Relative to the function. */
  readonly path: (tenantId: string) => string;
  /** A valid body; absent where the route takes none. */
  readonly body?: (tenantId: string) => unknown;
  readonly permission: Permission;
  /** What a success says and carries. */
  readonly message: string;
  readonly data: (tenantId: string) => unknown;
  /** What a 500 says. */
  readonly failureMessage: string;
  /** What the use case needs beside the database. */
  readonly uses?: 'publisher' | 'scheduler';
}

/** An element of an expected value: any text of this form. */
export function matching(pattern: RegExp): unknown {
  return expect.stringMatching(pattern);
}

const transferOptions = (tenantId: string) => ({ TenantId: tenantId, BucketName: 'ada-exports' });

/** When a record was last written, or true, in an answer. */
const TIME = matching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** What the routes read back: one record of each kind, under the ids that the routes' requests name. */
const READABLE = {
  customers: { CustomerId: 'C-1', Email: 'ada@example.com', Name: 'Ada', EmailOptin: true },
  products: { ProductId: 'P-1', ProductVariants: [{ VariantId: 'V-1', Sku: 'S-1' }] },
  orders: { OrderId: 'O-1', Currency: 'EUR', OrderItems: [{ ProductId: 'P-1', Sku: 'S-1', Quantity: 1, Price: 1 }] },
};

export const ROUTES: readonly ApiRoute[] = [
  {
    to: 'customers',
    method: 'POST',
    path: (tenantId) => `/${tenantId}`,
    body: () => [{ Email: 'ada@example.com' }],
    permission: 'customers',
    message: 'Customers saved.',
    data: () => ({ count: 1, created: 0, updated: 1, processedAt: NOW }),
    failureMessage: UNEXPECTED,
  },
  {
    to: 'customers',
    method: 'DELETE',
    path: (tenantId) => `/${tenantId}?customerId=C-1&email=ada@example.com`,
    permission: 'customers',
    message: 'Customer removed.',
    data: () => ({ customerId: 'C-1', email: 'ada@example.com', deletedAt: NOW }),
    failureMessage: 'Failed to delete customer.',
    uses: 'publisher',
  },
  {
    to: 'customers',
    method: 'POST',
    path: (tenantId) => `/${tenantId}/deletions`,
    body: () => [{ CustomerId: 'C-1', Email: 'ada@example.com' }],
    permission: 'customers',
    message: 'Customers removed.',
    data: () => ({ count: 1, deletedAt: NOW }),
    failureMessage: 'Failed to delete customers.',
    uses: 'publisher',
  },
  {
    to: 'customers',
    method: 'GET',
    path: (tenantId) => `/${tenantId}?customerId=C-1&email=ada@example.com`,
    permission: 'records',
    message: 'Customers found.',
    data: () => ({ records: [{ ...READABLE.customers, updatedAt: TIME, asOf: TIME }] }),
    failureMessage: UNEXPECTED,
  },
  {
    to: 'products',
    method: 'POST',
    path: (tenantId) => `/${tenantId}`,
    body: () => [{ ProductId: 'P-1', ProductVariants: [] }],
    permission: 'products',
    message: 'Products saved.',
    data: () => ({ count: 1, created: 0, updated: 1, processedAt: NOW }),
    failureMessage: UNEXPECTED,
  },
  {
    to: 'products',
    method: 'DELETE',
    path: (tenantId) => `/${tenantId}/P-1`,
    permission: 'products',
    message: 'Product removed.',
    data: () => ({ productId: 'P-1', deletedAt: NOW }),
    failureMessage: 'Failed to delete product.',
    uses: 'publisher',
  },
  {
    to: 'products',
    method: 'DELETE',
    path: (tenantId) => `/${tenantId}/P-1/variants/V-1`,
    permission: 'products',
    message: 'Variant removed.',
    data: () => ({ productId: 'P-1', variantId: 'V-1', deletedAt: NOW }),
    failureMessage: 'Failed to delete variant.',
    uses: 'publisher',
  },
  {
    to: 'products',
    method: 'POST',
    path: (tenantId) => `/${tenantId}/deletions`,
    body: () => [{ ProductId: 'P-1', VariantId: 'V-1' }],
    permission: 'products',
    message: 'Products removed.',
    data: () => ({ count: 1, deletedAt: NOW }),
    failureMessage: 'Failed to delete products.',
    uses: 'publisher',
  },
  {
    to: 'products',
    method: 'GET',
    path: (tenantId) => `/${tenantId}/P-1`,
    permission: 'records',
    message: 'Product found.',
    data: () => ({ record: { ...READABLE.products, updatedAt: TIME, asOf: TIME } }),
    failureMessage: UNEXPECTED,
  },
  {
    to: 'orders',
    method: 'POST',
    path: (tenantId) => `/${tenantId}`,
    body: () => [{ OrderId: 'O-1', Currency: 'EUR' }],
    permission: 'orders',
    message: 'Orders saved.',
    data: () => ({ count: 1, created: 0, updated: 1, processedAt: NOW }),
    failureMessage: UNEXPECTED,
  },
  {
    to: 'orders',
    method: 'DELETE',
    path: (tenantId) => `/${tenantId}/O-1`,
    permission: 'orders',
    message: 'Order removed.',
    data: () => ({ orderId: 'O-1', deletedAt: NOW }),
    failureMessage: 'Failed to delete order.',
    uses: 'publisher',
  },
  {
    to: 'orders',
    method: 'DELETE',
    path: (tenantId) => `/${tenantId}/O-1/items?productId=P-1&sku=S-1`,
    permission: 'orders',
    message: 'Order item removed.',
    data: () => ({ orderId: 'O-1', productId: 'P-1', sku: 'S-1', deletedAt: NOW }),
    failureMessage: 'Failed to delete order item.',
    uses: 'publisher',
  },
  {
    to: 'orders',
    method: 'POST',
    path: (tenantId) => `/${tenantId}/deletions`,
    body: () => [{ OrderId: 'O-1', ProductId: 'P-1', Sku: 'S-1' }],
    permission: 'orders',
    message: 'Orders removed.',
    data: () => ({ count: 1, deletedAt: NOW }),
    failureMessage: 'Failed to delete orders.',
    uses: 'publisher',
  },
  {
    to: 'orders',
    method: 'GET',
    path: (tenantId) => `/${tenantId}/O-1`,
    permission: 'records',
    message: 'Order found.',
    data: () => ({ record: { ...READABLE.orders, updatedAt: TIME, asOf: TIME } }),
    failureMessage: UNEXPECTED,
  },
  {
    to: 'ingestion',
    method: 'POST',
    path: () => '/google-cloud-storage/register/historical-transfer',
    body: transferOptions,
    permission: 'transfers',
    message: 'Historical transfer registered.',
    data: (tenantId) => ({
      JobId: matching(new RegExp(`^historical-transfer/${tenantId}/[A-Za-z0-9]+$`)),
      BucketAccess: 'ok',
    }),
    failureMessage: 'Failed to register historical transfer.',
    uses: 'publisher',
  },
  {
    to: 'ingestion',
    method: 'POST',
    path: () => '/google-cloud-storage/register/daily-transfer',
    body: transferOptions,
    permission: 'transfers',
    message: 'Daily transfer registered.',
    data: (tenantId) => ({ recurringJobId: `daily-transfer/${tenantId}`, BucketAccess: 'ok' }),
    failureMessage: 'Failed to register daily transfer.',
    uses: 'scheduler',
  },
  {
    to: 'ingestion',
    method: 'POST',
    path: () => '/google-cloud-storage/register/hourly-transfer',
    body: transferOptions,
    permission: 'transfers',
    message: 'Hourly transfer registered.',
    data: (tenantId) => ({ recurringJobId: `hourly-transfer/${tenantId}`, BucketAccess: 'ok' }),
    failureMessage: 'Failed to register hourly transfer.',
    uses: 'scheduler',
  },
  {
    to: 'ingestion',
    method: 'POST',
    path: () => '/google-cloud-storage/register/live-transfer',
    body: transferOptions,
    permission: 'transfers',
    message: 'Live transfer registered.',
    data: (tenantId) => ({
      recurringJobId: `live-transfer/${tenantId}`,
      BucketAccess: 'ok',
      Setup: {
        Role: 'roles/storage.objectViewer',
        ServiceAccount: 'runner@project.iam.gserviceaccount.com',
        Commands: [
          'gcloud storage buckets add-iam-policy-binding gs://ada-exports --member=serviceAccount:runner@project.iam.gserviceaccount.com --role=roles/storage.objectViewer',
          'gcloud storage buckets notifications create gs://ada-exports --topic=projects/project/topics/uploads --event-types=OBJECT_FINALIZE --payload-format=json',
        ],
      },
    }),
    failureMessage: 'Failed to register live transfer.',
    uses: 'scheduler',
  },
  {
    to: 'ingestion',
    method: 'DELETE',
    path: (tenantId) => `/google-cloud-storage/unregister?jobId=daily-transfer/${tenantId}`,
    permission: 'transfers',
    message: 'Transfer unregistered.',
    data: () => ({}),
    failureMessage: 'Failed to unregister transfer.',
    uses: 'scheduler',
  },
  {
    to: 'ingestion',
    method: 'GET',
    path: (tenantId) => `/google-cloud-storage/runs?tenantId=${tenantId}`,
    permission: 'transfers',
    message: 'Runs found.',
    data: (tenantId) => ({ Runs: [storedRunDto(tenantId), runningRunDto(tenantId)], NextPageToken: null }),
    failureMessage: 'Failed to find runs.',
  },
  {
    to: 'ingestion',
    method: 'GET',
    path: (tenantId) => `/google-cloud-storage/runs/${storedRunId(tenantId)}`,
    permission: 'transfers',
    message: 'Run found.',
    data: (tenantId) => ({ Run: { ...storedRunDto(tenantId), Examples: null } }),
    failureMessage: 'Failed to find run.',
  },
  {
    to: 'ingestion',
    method: 'GET',
    path: (tenantId) => `/google-cloud-storage/runs/${storedRunId(tenantId)}/files`,
    permission: 'transfers',
    message: 'Files found.',
    data: () => ({ Files: [storedFileDto()], NextPageToken: null }),
    failureMessage: 'Failed to find files.',
  },
  {
    to: 'ingestion',
    method: 'GET',
    path: (tenantId) => `/google-cloud-storage/runs/${storedRunId(tenantId)}/errors`,
    permission: 'transfers',
    message: 'Errors found.',
    data: () => ({ Errors: [storedErrorDto()], NextPageToken: null }),
    failureMessage: 'Failed to find errors.',
  },
  {
    to: 'ingestion',
    method: 'POST',
    path: (tenantId) => `/google-cloud-storage/runs/${storedRunId(tenantId)}/replay`,
    permission: 'transfers',
    message: 'Replay started.',
    data: () => ({ RunId: matching(/^20260301120030000-replay[0-9a-f]{12}$/) }),
    failureMessage: 'Failed to start replay.',
    uses: 'publisher',
  },
  {
    to: 'ingestion',
    method: 'GET',
    path: (tenantId) => `/google-cloud-storage/transfers?tenantId=${tenantId}`,
    permission: 'transfers',
    message: 'Transfers found.',
    data: (tenantId) => ({ Transfers: [storedTransferDto(tenantId)] }),
    failureMessage: 'Failed to find transfers.',
    uses: 'scheduler',
  },
  {
    to: 'ingestion',
    method: 'POST',
    path: (tenantId) => `/google-cloud-storage/transfers/run?jobId=daily-transfer/${tenantId}`,
    permission: 'transfers',
    message: 'Transfer started.',
    data: () => ({ RunId: matching(/^20260301120030000-manual[0-9a-f]{12}$/) }),
    failureMessage: 'Failed to start transfer.',
    uses: 'publisher',
  },
  {
    to: 'ingestion',
    method: 'POST',
    path: (tenantId) => `/google-cloud-storage/runs/${runningRunId(tenantId)}/cancel`,
    permission: 'transfers',
    message: 'Run cancelled.',
    data: (tenantId) => ({ RunId: runningRunId(tenantId) }),
    failureMessage: 'Failed to cancel run.',
    uses: 'publisher',
  },
  {
    to: 'ingestion',
    method: 'POST',
    path: () => '/google-cloud-storage/preview',
    body: transferOptions,
    permission: 'transfers',
    message: 'Preview started.',
    data: () => ({ RunId: matching(/^20260301120030000_preview[0-9a-f]{12}$/) }),
    failureMessage: 'Failed to start preview.',
    uses: 'publisher',
  },
  {
    to: 'usage',
    method: 'GET',
    path: (tenantId) => `/${tenantId}?${USAGE_QUERY}`,
    permission: 'records',
    message: 'Usage found.',
    data: () => STORED_USAGE_DTO,
    failureMessage: UNEXPECTED,
  },
];

/** `DELETE /products/<tenant_id>/P-1`, for titles. */
export const titleOf = ({ method, to, path }: ApiRoute) => `${method} /${to}${path('<tenant_id>')}`;

export type RouteRow = readonly [title: string, route: ApiRoute];

/** Rows for `it.each` and `describe.each`. */
export function rowsOf(to?: FunctionName, chosen: (route: ApiRoute) => boolean = () => true): RouteRow[] {
  return ROUTES.filter((route) => (to === undefined || route.to === to) && chosen(route)).map((route) => [
    titleOf(route),
    route,
  ]);
}

/** Whether a route is about a run or a job, which tells the tenant. */
export const hasSubject = ({ path }: ApiRoute) => /unregister|\/runs\//.test(path(''));
export const hasBody = ({ body }: ApiRoute) => body !== undefined;
/** Whether a route changes anything. */
export const changesSomething = ({ method }: ApiRoute) => method !== 'GET';
/** Whether a route deletes records or parts of them. */
export const deletesRecords = ({ to, uses }: ApiRoute) => to !== 'ingestion' && uses === 'publisher';

/** The documents of the records that the routes read back. */
function readableDocuments(tenantId: string): DocumentChange[] {
  const at = (kind: RecordKind, id: RecordId) => recordPath(tenantId, kind, id);
  const { customers, products, orders } = READABLE;
  return [
    {
      set: at('customers', customerRecordId(customers, DEFAULT_SETTINGS.customerIdentifier)),
      data: toCustomerDocument(customers, 'first'),
    },
    { set: at('products', productRecordId(products.ProductId)), data: toDocument(products, 'first') },
    { set: at('orders', orderRecordId(orders.OrderId)), data: toDocument(orders, 'first') },
  ];
}

/** As `useTestService`. Its new tenants hold what the routes read back, so that each valid request of `call` is 200. */
export function useRouteService(...functions: FunctionName[]): () => TestService {
  const service = useTestService(...functions);
  beforeEach(() => {
    service().storedOfNewTenants = readableDocuments;
  });
  return service;
}

/** Sends the route's valid request as the caller, changed by the options. */
export function call(
  service: TestService,
  route: ApiRoute,
  { tenantId, key }: Pick<Caller, 'tenantId' | 'key'>,
  options: RequestOptions & { readonly tenant?: string } = {},
): Promise<Received> {
  const { tenant = tenantId, ...rest } = options;
  const body = route.body && rest.raw === undefined && rest.json === undefined ? { json: route.body(tenant) } : {};
  return service.request(route.method, `/${route.to}${route.path(tenant)}`, { key, ...body, ...rest });
}

/** The envelope in the casing of a function (Spec §2.8). */
export function envelopeOf(to: FunctionName, success: boolean, message: unknown, data: unknown = {}): unknown {
  return to === 'ingestion' ? { Success: success, Message: message, Data: data } : { success, message, data };
}

/** The body of a validation answer (Spec §7.2), with the trace id that the header says. */
export function problemOf({ headers }: Received, errors: unknown, more: object = {}): unknown {
  return {
    type: 'https://tools.ietf.org/html/rfc7231#section-6.5.1',
    title: 'One or more validation errors occurred.',
    status: 400,
    traceId: headers['x-trace-id'],
    errors,
    ...more,
  };
}

/** What the limit's headers of an answer say. */
export interface Limits {
  readonly limit?: number;
  readonly remaining?: number;
  readonly reset?: number;
}

/** Every answer is JSON with the limit's headers and a trace id (Spec §8, D-34). */
export function expectAnswer(answer: Received, status: number, body: unknown, limits: Limits = {}): void {
  expect({ status: answer.status, body: answer.json }).toStrictEqual({ status, body });
  expectHeaders(answer, limits);
}

/** As `expectAnswer`, for a validation answer. */
export function expectProblem(answer: Received, errors: unknown, limits: Limits = {}): void {
  expectAnswer(answer, 400, problemOf(answer, errors), limits);
}

export function expectHeaders({ headers }: Received, { limit = 100, remaining, reset = RESET }: Limits = {}): void {
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': remaining === undefined ? matching(/^\d+$/) : String(remaining),
    'x-ratelimit-reset': String(reset),
    'x-trace-id': matching(/^[0-9a-f]{32}$/),
  });
}
