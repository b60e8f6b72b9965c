import { http } from '@google-cloud/functions-framework';
import { readConfig } from '../../shared/config';
import { createEndpoint } from '../../shared/endpoint/endpoint';
import { createRuntime } from '../../shared/runtime';
import { usageEndpoint } from './endpoint';

const runtime = createRuntime(readConfig());
http('usage', createEndpoint(usageEndpoint(runtime), runtime));
