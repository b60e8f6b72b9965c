import { http } from '@google-cloud/functions-framework';
import { connectTransferScheduler } from '../../shared/adapters/scheduler/cloud-scheduler';
import { CloudBucketLook } from '../../shared/adapters/storage/cloud-bucket-look';
import { CloudObjectStorage } from '../../shared/adapters/storage/cloud-object-storage';
import { readConfig } from '../../shared/config';
import { BATCHES_HEAP_GROWTH_PERCENT } from '../../shared/limits/platform';
import { setHeapGrowth } from '../../shared/platform/heap';
import { createRuntime } from '../../shared/runtime';
import { assets } from './assets';
import { sessionCookieOf } from './session/cookie';
import { createTenantsConsole } from './tenants-console';

setHeapGrowth(BATCHES_HEAP_GROWTH_PERCENT);
const config = readConfig();
const runtime = createRuntime(config);
const { projectId, proxies, reportsBucket, topics, transferServiceAccount } = config;
http(
  'console',
  createTenantsConsole({
    ...runtime,
    scheduler: connectTransferScheduler(config, runtime.clock),
    storage: new CloudObjectStorage(config, runtime.clock),
    bucketLook: new CloudBucketLook(config),
    assets,
    cookie: sessionCookieOf(config),
    projectId,
    proxies,
    transferServiceAccount,
    reportsBucket,
    deletionsTopic: topics.deletions,
    transfersTopic: topics.transfers,
    uploadsTopic: topics.uploads,
  }),
);
