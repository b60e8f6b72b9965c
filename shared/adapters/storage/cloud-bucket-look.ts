import type { Impersonated } from 'google-auth-library';
import type { Config } from '../../config';
import { BUCKET_LOOK_MS } from '../../limits/requests';
import { withFairTimeout } from '../../platform/async/fair-timeout';
import type { BucketAccess, BucketLook } from '../../transfers/bucket-look';
import { lazyClient } from '../lazy-client';
import { SERVICE_URL } from './download';

/** What the look's token is for, and nothing else, whatever else the service account may do. */
const READ_ONLY = 'https://www.googleapis.com/auth/devstorage.read_only';

/**
 * `BucketLook` on Cloud Storage over plain HTTP, because its SDK takes longer to load than a look, and cannot be
 * stopped. It borrows the identity of `transfer-runner`, to which tenants grant their role.
 */
export class CloudBucketLook implements BucketLook {
  private readonly reader: () => Promise<Impersonated>;

  constructor(private readonly config: Pick<Config, 'emulators' | 'transferServiceAccount'>) {
    this.reader = lazyClient(() => impersonate(config.transferServiceAccount));
  }

  async accessTo(bucket: string, prefix: string): Promise<BucketAccess> {
    const ending = new AbortController();
    try {
      return await withFairTimeout(this.look(bucket, prefix, ending.signal), BUCKET_LOOK_MS);
    } finally {
      ending.abort();
    }
  }

  private async look(bucket: string, prefix: string, signal: AbortSignal): Promise<BucketAccess> {
    const objects = `/storage/v1/b/${encodeURIComponent(bucket)}/o`;
    const list = await this.get(`${objects}?maxResults=1&prefix=${encodeURIComponent(prefix)}`, signal);
    if (list.status === 404) return 'notFound';
    if (isDenied(list)) return 'denied';
    const { items } = (await requireOk(list).json()) as { readonly items?: readonly { readonly name: string }[] };
    if (!items?.[0]) return 'ok';
    const object = await this.get(`${objects}/${encodeURIComponent(items[0].name)}`, signal);
    if (isDenied(object)) return 'denied';
    if (object.status !== 404) requireOk(object); // 404: it was removed meanwhile
    await object.body?.cancel();
    return 'ok';
  }

  private async get(path: string, signal: AbortSignal): Promise<Response> {
    const { storage: emulator } = this.config.emulators;
    const headers = emulator === undefined ? await (await this.reader()).getRequestHeaders() : {};
    return fetch(new URL(path, emulator ?? SERVICE_URL), { headers, signal });
  }
}

function isDenied({ status }: Response): boolean {
  return status === 401 || status === 403;
}

function requireOk(response: Response): Response {
  if (response.ok) return response;
  throw new Error(`Cloud Storage answered a look at a bucket with ${response.status}.`);
}

/** Google's library caches and renews the token. */
async function impersonate(serviceAccount: string): Promise<Impersonated> {
  const { GoogleAuth, Impersonated } = await import('google-auth-library');
  const auth = new GoogleAuth({ scopes: ['https://www.googleapis.com/auth/cloud-platform'] });
  return new Impersonated({
    sourceClient: await auth.getClient(),
    targetPrincipal: serviceAccount,
    targetScopes: [READ_ONLY],
  });
}
