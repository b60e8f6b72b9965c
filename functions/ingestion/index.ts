import { http } from '@google-cloud/functions-framework';
import { CloudTransferScheduler } from '../../shared/adapters/scheduler/cloud-scheduler';
import { readConfig } from '../../shared/config';
import { createEndpoint } from '../../shared/endpoint/endpoint';
import { createRuntime } from '../../shared/runtime';
import { ingestionEndpoint } from './endpoint';

const config = readConfig();
const runtime = createRuntime(config);
const scheduler = new CloudTransferScheduler(config);
const { reportsBucket, topics } = config;
const endpoint = ingestionEndpoint({ ...runtime, scheduler, reportsBucket, transfersTopic: topics.transfers });
http('ingestion', createEndpoint(endpoint, runtime));
