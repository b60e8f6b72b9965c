import { createKey } from '../../../shared/operations/keys';
import type { ApiRequest } from '../api-client';
import { answerProblems } from '../api-client';
import { TIME_OF_THIS_RUN } from '../compare';
import type { Demo, DemoTenant } from '../context';
import type { Fields, Kind } from '../fields';
import type { Row } from '../report';
import { describeRoute } from '../routes';
import type { OddCase } from '../shop/odd-cases';
import { ODD_CASES } from '../shop/odd-cases';
import { storedRecord } from '../stored-records';

/** Reads odd records back through the API, which must show what is stored and when. */
export async function readBack(demo: Demo): Promise<void> {
  demo.report.progress('Reading back');
  const rows: Row[] = [];
  for (const tenant of [demo.tenants.aurora, demo.tenants.borealis]) {
    const { key } = await createKey({ organization: tenant.organization, permissions: ['records'] }, demo.operator);
    for (const { kind, find } of READ) rows.push(await read(demo, tenant, { kind, find }, key));
  }
  demo.report.chapter('Read back', 'With a key that has the permission for it: what is stored, and when.');
  demo.report.table(['tenant', 'status', 'request', 'asked for'], rows);
}

/** Of each kind the first that both tenants have. */
const READ = (['customers', 'products', 'orders'] as const).flatMap(
  (kind) => ODD_CASES.find(({ kind: of, stored }) => of === kind && stored.aurora && stored.borealis) ?? [],
);

async function read(demo: Demo, tenant: DemoTenant, { kind, find }: Pick<OddCase, 'kind' | 'find'>, key: string) {
  const answer = await demo.client.send({ ...requestOf(kind, find, tenant), key });
  const stored = await storedRecord(demo, tenant, { kind, find });
  const record = { ...stored, updatedAt: TIME_OF_THIS_RUN, asOf: TIME_OF_THIS_RUN };
  const expected: Readonly<Record<Kind, Fields>> = {
    customers: { message: 'Customers found.', data: { records: [record] } },
    products: { message: 'Product found.', data: { record } },
    orders: { message: 'Order found.', data: { record } },
  };
  const cells = [tenant.title, answer.status, describeRoute(ROUTE_OF[kind]), JSON.stringify(find)];
  return { cells, problems: answerProblems(answer, 200, { success: true, ...expected[kind] }) };
}

const ROUTE_OF = { customers: 'readCustomers', products: 'readProduct', orders: 'readOrder' } as const;

function requestOf(kind: Kind, { id = '', ...query }: OddCase['find'], { tenantId }: DemoTenant): ApiRequest {
  const params = { tenant: tenantId, product: id, order: id };
  return { route: ROUTE_OF[kind], params, query };
}
