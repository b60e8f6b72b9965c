import { describeOverload } from '../suites/overloaded';

describeOverload('customers');
