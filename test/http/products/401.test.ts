import { describeUnauthorized } from '../suites/unauthorized';

describeUnauthorized('products');
