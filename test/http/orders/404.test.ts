import { describeNotFound } from '../suites/not-found';

describeNotFound('orders', (tenantId) => [
  `/${tenantId}/O-1/lines`,
  `/${tenantId}/O-1/Items`,
  `/${tenantId}/O-1/items/P-1`,
]);
