import { describeMediaType } from '../suites/media-type';

describeMediaType('ingestion');
