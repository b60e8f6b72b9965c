import { http } from '@google-cloud/functions-framework';
import { readConfig } from '../../shared/config';
import { BATCHES_HEAP_GROWTH_PERCENT } from '../../shared/limits/platform';
import { setHeapGrowth } from '../../shared/platform/heap';
import { createEndpoint } from '../../shared/endpoint/endpoint';
import { createRuntime } from '../../shared/runtime';
import { ordersEndpoint } from './endpoint';

setHeapGrowth(BATCHES_HEAP_GROWTH_PERCENT);
const runtime = createRuntime(readConfig());
http(
  'orders',
  createEndpoint(ordersEndpoint({ ...runtime, deletionsTopic: runtime.config.topics.deletions }), runtime),
);
