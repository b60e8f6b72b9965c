import { describeOverload } from '../suites/overloaded';

describeOverload('ingestion');
