import { describeFailures } from '../suites/failures';

describeFailures('customers');
