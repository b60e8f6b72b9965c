import { describeOverload } from '../suites/overloaded';

describeOverload('products');
