import type { ApiAnswer } from '../api-client';
import { answerProblems } from '../api-client';
import { ANY_LIST, ANY_WHOLE_NUMBER, TIME_OF_THIS_RUN } from '../compare';
import type { Demo, DemoTenant } from '../context';
import { forBoth } from '../context';
import { UPSERT_ROUTES } from '../routes';
import { CUSTOMER_DELIVERIES } from '../shop/customers';
import type { Delivery } from '../shop/delivery';
import { ODD_DELIVERIES } from '../shop/odd-cases';
import { ORDER_DELIVERIES } from '../shop/orders';
import { PRODUCT_DELIVERIES } from '../shop/products';

const DELIVERIES = [...CUSTOMER_DELIVERIES, ...PRODUCT_DELIVERIES, ...ORDER_DELIVERIES, ...ODD_DELIVERIES];

export const SAVED_MESSAGES = {
  customers: 'Customers saved.',
  products: 'Products saved.',
  orders: 'Orders saved.',
} as const;

/** Ignored fields whose names differ from known ones in case alone. */
const MISNAMED = ['EmailOptIn'];

/** Sends the whole shop to both tenants, delivery by delivery. */
export async function sendShop(demo: Demo): Promise<void> {
  const rows = [];
  for (const [i, delivery] of DELIVERIES.entries()) {
    demo.report.progress(`Sending the shop: ${delivery.title} (${i + 1} of ${DELIVERIES.length})`);
    const answers = await forBoth(demo, (tenant) => deliver(demo, tenant, delivery));
    const cells = [
      `POST /${delivery.kind}/…`,
      delivery.batch.length,
      ...answers.map(({ answer }) => `${answer.status}, ${Math.round(answer.milliseconds)} ms`),
      delivery.gzip === true ? `${delivery.title} (gzip)` : delivery.title,
    ];
    const { ignoredFields } = delivery;
    rows.push({
      cells,
      problems: answers.flatMap(({ problems }) => problems),
      ...(ignoredFields && { details: [`ignoredFields in the answers: ${ignoredFields.join(', ')}`] }),
    });
  }
  demo.report.chapter('Sent', 'Each delivery to each tenant, in this order; answers are checked in full.');
  demo.report.table(['route', 'records', 'Aurora', 'Borealis', 'delivery'], rows);
}

/** Sends one batch, and expects it to be accepted and stored. */
export async function deliver(
  { client }: Pick<Demo, 'client'>,
  tenant: DemoTenant,
  { kind, batch, ignoredFields, gzip = false }: Delivery,
): Promise<{ answer: ApiAnswer; problems: string[] }> {
  const params = { tenant: tenant.tenantId };
  const answer = await client.send({ route: UPSERT_ROUTES[kind], params, body: batch, gzip, key: tenant.key });
  const isMisnamed = ignoredFields?.some((field) => MISNAMED.includes(field)) === true;
  const isWarned = isMisnamed || (kind === 'customers' && batch.some((customer) => lacksPriority(customer, tenant)));
  tenant.expected.upsert(kind, batch);
  tenant.sent[kind] += batch.length;
  const data = {
    count: batch.length,
    created: ANY_WHOLE_NUMBER,
    updated: ANY_WHOLE_NUMBER,
    processedAt: TIME_OF_THIS_RUN,
    ...(ignoredFields && { ignoredFields }),
    ...(isWarned && { warnings: ANY_LIST }),
  };
  const problems = answerProblems(answer, 200, { success: true, message: SAVED_MESSAGES[kind], data });
  return { answer, problems: problems.map((problem) => `${tenant.title}: ${problem}`) };
}

/** Customers without the identifier that their tenant goes by are warned of. */
function lacksPriority(customer: object, { settings }: DemoTenant): boolean {
  const { Email, CustomerId }: { Email?: unknown; CustomerId?: unknown } = customer;
  const identifier = settings.customerIdentifier === 'email' ? Email : CustomerId;
  return typeof identifier !== 'string' || identifier.trim() === '';
}
