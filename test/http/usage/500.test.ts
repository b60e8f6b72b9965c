import { describeFailures } from '../suites/failures';

describeFailures('usage');
