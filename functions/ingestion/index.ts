import { http } from '@google-cloud/functions-framework';
import { connectTransferScheduler } from '../../shared/adapters/scheduler/cloud-scheduler';
import { CloudBucketLook } from '../../shared/adapters/storage/cloud-bucket-look';
import { CloudObjectStorage } from '../../shared/adapters/storage/cloud-object-storage';
import { readConfig } from '../../shared/config';
import { createEndpoint } from '../../shared/endpoint/endpoint';
import { createRuntime } from '../../shared/runtime';
import { ingestionEndpoint } from './endpoint';

const config = readConfig();
const runtime = createRuntime(config);
const scheduler = connectTransferScheduler(config, runtime.clock);
const storage = new CloudObjectStorage(config, runtime.clock);
const bucketLook = new CloudBucketLook(config);
const { projectId, reportsBucket, topics, transferServiceAccount } = config;
const endpoint = ingestionEndpoint({
  ...runtime,
  scheduler,
  storage,
  bucketLook,
  transferServiceAccount,
  projectId,
  reportsBucket,
  transfersTopic: topics.transfers,
  uploadsTopic: topics.uploads,
});
http('ingestion', createEndpoint(endpoint, runtime));
