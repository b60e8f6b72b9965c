import { describeMethodNotAllowed } from '../suites/method-not-allowed';

describeMethodNotAllowed('customers', [
  ['/<tenant_id>', 'GET, POST, DELETE'],
  ['/<tenant_id>/deletions', 'POST'],
]);
