import { describeMethodNotAllowed } from '../suites/method-not-allowed';

describeMethodNotAllowed('products', [
  ['/<tenant_id>', 'POST, DELETE'],
  ['/<tenant_id>/deletions', 'POST, DELETE'],
  ['/<tenant_id>/P-1', 'DELETE'],
  ['/<tenant_id>/P-1/variants/V-1', 'DELETE'],
]);
