import { describeMethodNotAllowed } from '../suites/method-not-allowed';

describeMethodNotAllowed('orders', [
  ['/<tenant_id>', 'POST, DELETE'],
  ['/<tenant_id>/deletions', 'POST, DELETE'],
  ['/<tenant_id>/O-1', 'DELETE'],
  ['/<tenant_id>/O-1/items', 'DELETE'],
]);
