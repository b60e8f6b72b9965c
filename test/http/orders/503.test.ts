import { describeOverload } from '../suites/overloaded';

describeOverload('orders');
