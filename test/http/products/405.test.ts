import { describeMethodNotAllowed } from '../suites/method-not-allowed';

describeMethodNotAllowed('products', [
  ['/<tenant_id>', 'GET, POST, DELETE'],
  ['/<tenant_id>/deletions', 'GET, POST, DELETE'],
  ['/<tenant_id>/P-1', 'GET, DELETE'],
  ['/<tenant_id>/P-1/variants/V-1', 'DELETE'],
]);
