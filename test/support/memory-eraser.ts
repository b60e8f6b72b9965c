import type { Operator, OperatorMeans } from '../../shared/operations/operator';
import type { JobId } from '../../shared/domain/transfer';
import type { StoredObject } from '../../shared/transfers/object-storage';

export type MemoryEraser = Operator &
  OperatorMeans & {
    readonly scheduled: Set<JobId>;
    /** Names of the objects in the bucket of reports. */
    readonly reportNames: Set<string>;
  };

/** What erasing works with, where jobs and reports are in memory. */
export function eraserOn(operator: Operator & OperatorMeans): MemoryEraser {
  const scheduled = new Set<JobId>();
  const reportNames = new Set<string>();
  const toObject = (name: string): StoredObject => {
    return { name, generation: '1', size: 1, updated: new Date(0), contentEncoding: null };
  };
  return {
    ...operator,
    scheduled,
    reportNames,
    jobs: {
      ...operator.jobs,
      find: (jobId) =>
        Promise.resolve(
          scheduled.has(jobId)
            ? { jobId, schedule: '', timeZone: '', nextRun: null, bucketName: null, folderPaths: null }
            : undefined,
        ),
      remove: (jobId) => Promise.resolve(void scheduled.delete(jobId)),
    },
    storage: {
      ...operator.storage,
      list: (_bucket, prefix, limit, pageToken = '') => {
        const rest = [...reportNames].filter((name) => name.startsWith(prefix) && name > pageToken).sort();
        const page = rest.slice(0, limit);
        return Promise.resolve({
          objects: page.map(toObject),
          ...(page.length < rest.length && { nextPageToken: page.at(-1) }),
        });
      },
      remove: (_bucket, name) => Promise.resolve(void reportNames.delete(name)),
    },
  };
}
