/** A bucket of its own in Cloud Storage, which `transfer-runner` may read. */
import { Storage } from '@google-cloud/storage';
import type { Config } from '../../shared/config';
import type { ShopBucket } from '../demo/bucket';

/** Whatever becomes of the smoke test, its files go after a day. */
const FILES_KEPT_DAYS = 1;

/** @param apiEndpoint absent: Cloud Storage itself */
export function cloudBucket(
  name: string,
  {
    projectId,
    schedulerLocations: [location],
    transferServiceAccount,
  }: Pick<Config, 'projectId' | 'schedulerLocations' | 'transferServiceAccount'>,
  apiEndpoint?: string,
): ShopBucket {
  const storage = new Storage({
    projectId,
    ...(apiEndpoint !== undefined && { apiEndpoint, useAuthWithCustomEndpoint: false }),
  });
  const bucket = storage.bucket(name);
  return {
    name,
    create: async () => {
      await storage.createBucket(name, {
        location,
        iamConfiguration: { uniformBucketLevelAccess: { enabled: true }, publicAccessPrevention: 'enforced' },
        lifecycle: { rule: [{ action: { type: 'Delete' }, condition: { age: FILES_KEPT_DAYS } }] },
        softDeletePolicy: { retentionDurationSeconds: 0 },
      });
      const [policy] = await bucket.iam.getPolicy();
      const grant = { role: 'roles/storage.objectViewer', members: [`serviceAccount:${transferServiceAccount}`] };
      await bucket.iam.setPolicy({ ...policy, bindings: [...policy.bindings, grant] });
    },
    put: async (files) => {
      for (const { name: object, content } of files) await bucket.file(object).save(content, { resumable: false });
    },
    remove: async () => {
      try {
        await bucket.deleteFiles({ force: true });
        await bucket.delete();
      } catch (error) {
        if ((error as { code?: number }).code !== 404) throw error;
      }
    },
  };
}
