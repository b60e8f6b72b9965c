import { describeRateLimit } from '../suites/rate-limit';

describeRateLimit('usage');
