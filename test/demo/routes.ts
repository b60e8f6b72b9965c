/** The routes (Spec §4.1, R-50, R-68), and how their URLs are written. */
import type { Contract } from '../support/conformance/contract';
import { CONTRACT } from '../support/conformance/contract';

export const ROUTES = {
  upsertCustomers: { method: 'POST', path: '/customers/<tenant>' },
  deleteCustomer: { method: 'DELETE', path: '/customers/<tenant>' },
  deleteCustomers: { method: 'POST', path: '/customers/<tenant>/deletions' },
  readCustomers: { method: 'GET', path: '/customers/<tenant>' },
  upsertProducts: { method: 'POST', path: '/products/<tenant>' },
  deleteProduct: { method: 'DELETE', path: '/products/<tenant>/<product>' },
  deleteVariant: { method: 'DELETE', path: '/products/<tenant>/<product>/variants/<variant>' },
  deleteProducts: { method: 'POST', path: '/products/<tenant>/deletions' },
  readProduct: { method: 'GET', path: '/products/<tenant>/<product>' },
  upsertOrders: { method: 'POST', path: '/orders/<tenant>' },
  deleteOrder: { method: 'DELETE', path: '/orders/<tenant>/<order>' },
  deleteItem: { method: 'DELETE', path: '/orders/<tenant>/<order>/items' },
  deleteOrders: { method: 'POST', path: '/orders/<tenant>/deletions' },
  readOrder: { method: 'GET', path: '/orders/<tenant>/<order>' },
  registerHistorical: { method: 'POST', path: '/ingestion/google-cloud-storage/register/historical-transfer' },
  registerDaily: { method: 'POST', path: '/ingestion/google-cloud-storage/register/daily-transfer' },
  registerHourly: { method: 'POST', path: '/ingestion/google-cloud-storage/register/hourly-transfer' },
  registerLive: { method: 'POST', path: '/ingestion/google-cloud-storage/register/live-transfer' },
  unregister: { method: 'DELETE', path: '/ingestion/google-cloud-storage/unregister' },
  listRuns: { method: 'GET', path: '/ingestion/google-cloud-storage/runs' },
  findRun: { method: 'GET', path: '/ingestion/google-cloud-storage/runs/<run>' },
  listFiles: { method: 'GET', path: '/ingestion/google-cloud-storage/runs/<run>/files' },
  listErrors: { method: 'GET', path: '/ingestion/google-cloud-storage/runs/<run>/errors' },
  replayRun: { method: 'POST', path: '/ingestion/google-cloud-storage/runs/<run>/replay' },
  cancelRun: { method: 'POST', path: '/ingestion/google-cloud-storage/runs/<run>/cancel' },
  listTransfers: { method: 'GET', path: '/ingestion/google-cloud-storage/transfers' },
  previewTransfer: { method: 'POST', path: '/ingestion/google-cloud-storage/preview' },
  runTransfer: { method: 'POST', path: '/ingestion/google-cloud-storage/transfers/run' },
  readUsage: { method: 'GET', path: '/usage/<tenant>' },
} as const;

export type RouteName = keyof typeof ROUTES;

export const UPSERT_ROUTES = {
  customers: 'upsertCustomers',
  products: 'upsertProducts',
  orders: 'upsertOrders',
} as const;

/** The operations of `openapi.json`, such as `POST /customers/{tenantId}`, that are no route of this table. */
export function unknownOperations({ operations }: Pick<Contract, 'operations'> = CONTRACT): string[] {
  const toShape = (method: string, path: string) => `${method} ${path.replace(/[<{]\w+[>}]/g, '{}')}`;
  const known = new Set(Object.values(ROUTES).map(({ method, path }) => toShape(method, path)));
  return operations
    .filter(({ method, template }) => !known.has(toShape(method, template)))
    .map(({ method, template }) => `${method} ${template}`);
}

/** `POST /customers/<tenant>` */
export function describeRoute(name: RouteName): string {
  return `${ROUTES[name].method} ${ROUTES[name].path}`;
}

/** The path and query of a request; any text can be an id. */
export function toTarget(
  name: RouteName,
  params: Readonly<Record<string, string>> = {},
  query: Readonly<Record<string, string>> = {},
): string {
  const path = ROUTES[name].path.replace(/<(\w+)>/g, (_, param: string) => encodeSegment(params[param] ?? ''));
  const pairs = Object.entries(query).map(([field, value]) => `${field}=${encodeURIComponent(value)}`);
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}

/** `.` and `..` would be steps in a path. */
function encodeSegment(text: string): string {
  return /^\.+$/.test(text) ? text.replaceAll('.', '%2E') : encodeURIComponent(text);
}
