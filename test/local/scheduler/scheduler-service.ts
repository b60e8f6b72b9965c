import { protos } from '@google-cloud/scheduler';
import type { Server } from '@grpc/grpc-js';
import type { Clock } from '../../../shared/platform/clock';
import type { Job, ScheduledJobs } from './scheduled-jobs';
import { unaryMethod } from './unary-method';

const { v1 } = protos.google.cloud.scheduler;
const SERVICE = 'google.cloud.scheduler.v1.CloudScheduler';

/** Offers the jobs as the gRPC service that the real client calls; `run` runs a job now. */
export function addSchedulerService(
  server: Server,
  jobs: ScheduledJobs,
  clock: Clock,
  run: (job: Job) => Promise<void>,
): void {
  const methods = [
    unaryMethod(SERVICE, 'CreateJob', v1.CreateJobRequest, v1.Job, ({ parent, job }) =>
      jobs.create(parent, job ?? {}, clock.nowMs()),
    ),
    unaryMethod(SERVICE, 'UpdateJob', v1.UpdateJobRequest, v1.Job, ({ job, updateMask }) =>
      jobs.update(job ?? {}, updateMask?.paths ?? [], clock.nowMs()),
    ),
    unaryMethod(SERVICE, 'GetJob', v1.GetJobRequest, v1.Job, ({ name }) => jobs.get(name)),
    unaryMethod(SERVICE, 'ListJobs', v1.ListJobsRequest, v1.ListJobsResponse, ({ parent, pageSize, pageToken }) =>
      jobs.list(parent, pageSize, pageToken),
    ),
    unaryMethod(SERVICE, 'DeleteJob', v1.DeleteJobRequest, protos.google.protobuf.Empty, ({ name }) => {
      jobs.delete(name);
      return {};
    }),
    unaryMethod(SERVICE, 'PauseJob', v1.PauseJobRequest, v1.Job, ({ name }) => jobs.pause(name, clock.nowMs())),
    unaryMethod(SERVICE, 'ResumeJob', v1.ResumeJobRequest, v1.Job, ({ name }) => jobs.resume(name, clock.nowMs())),
    unaryMethod(SERVICE, 'RunJob', v1.RunJobRequest, v1.Job, async ({ name }) => {
      await run(jobs.get(name));
      return jobs.get(name);
    }),
  ];
  server.addService(
    Object.fromEntries(methods.map(({ name, definition }) => [name, definition])),
    Object.fromEntries(methods.map(({ name, handler }) => [name, handler])),
  );
}
