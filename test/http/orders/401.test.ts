import { describeUnauthorized } from '../suites/unauthorized';

describeUnauthorized('orders');
