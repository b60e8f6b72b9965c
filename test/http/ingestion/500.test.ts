import { describeFailures } from '../suites/failures';

describeFailures('ingestion');
