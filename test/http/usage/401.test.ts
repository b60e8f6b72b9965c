import { describeUnauthorized } from '../suites/unauthorized';

describeUnauthorized('usage');
