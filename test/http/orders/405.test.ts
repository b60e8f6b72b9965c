import { describeMethodNotAllowed } from '../suites/method-not-allowed';

describeMethodNotAllowed('orders', [
  ['/<tenant_id>', 'GET, POST, DELETE'],
  ['/<tenant_id>/deletions', 'GET, POST, DELETE'],
  ['/<tenant_id>/O-1', 'GET, DELETE'],
  ['/<tenant_id>/O-1/items', 'DELETE'],
]);
