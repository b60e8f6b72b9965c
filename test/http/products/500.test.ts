import { describeFailures } from '../suites/failures';

describeFailures('products');
