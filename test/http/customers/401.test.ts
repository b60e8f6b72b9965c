import { describeUnauthorized } from '../suites/unauthorized';

describeUnauthorized('customers');
