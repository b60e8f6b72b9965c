import { http } from '@google-cloud/functions-framework';
import { readConfig } from '../../shared/config';
import { createEndpoint } from '../../shared/http/endpoint';
import { createRuntime } from '../../shared/runtime';
import { ordersEndpoint } from './endpoint';

const runtime = createRuntime(readConfig());
http(
  'orders',
  createEndpoint(ordersEndpoint({ ...runtime, deletionsTopic: runtime.config.topics.deletions }), runtime),
);
