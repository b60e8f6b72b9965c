import { describeNotFound } from '../suites/not-found';

describeNotFound('products', (tenantId) => [
  `/${tenantId}/P-1/images`,
  `/${tenantId}/P-1/Variants/V-1`,
  `/${tenantId}/P-1/variants/V-1/sizes`,
]);
