import { describeFailures } from '../suites/failures';

describeFailures('orders');
