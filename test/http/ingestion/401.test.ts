import { describeUnauthorized } from '../suites/unauthorized';

describeUnauthorized('ingestion');
