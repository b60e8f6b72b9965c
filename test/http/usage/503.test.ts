import { describeOverload } from '../suites/overloaded';

describeOverload('usage');
