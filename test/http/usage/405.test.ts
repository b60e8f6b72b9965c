import { describeMethodNotAllowed } from '../suites/method-not-allowed';

describeMethodNotAllowed('usage', [['/<tenant_id>', 'GET']]);
