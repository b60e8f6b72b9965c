/** Looks at a bucket as on Google Cloud, whose services are all at the address that is given. Prints what it sees. */
import http from 'node:http';
import https from 'node:https';
import { CloudBucketLook } from '../../../../shared/adapters/storage/cloud-bucket-look';
import { readConfig } from '../../../../shared/config';

const address = process.argv[2] ?? '';
const toAddress = (url: string | URL) => new URL(String(url).replace(/^https:\/\/[^/]+/, address));

// Google's library asks for tokens with the one, the look asks Cloud Storage with the other.
https.request = ((url: string | URL, options: http.RequestOptions) =>
  http.request(toAddress(url), { ...options, agent: undefined, protocol: 'http:' })) as typeof https.request;
const { fetch } = globalThis;
globalThis.fetch = (url, init) => fetch(toAddress(url as URL), init);

async function main(): Promise<void> {
  // Loading the library from its sources may take longer than a look has. These requests are none of the look's.
  const { gaxios } = await import('google-auth-library');
  await gaxios.request({ url: `${address}/computeMetadata/` });
  await fetch(`${address}/computeMetadata/`);
  const look = new CloudBucketLook(readConfig({ GOOGLE_CLOUD_PROJECT: 'p' }));
  const seen = await look.accessTo('ada-exports', '').then(
    (access) => ({ access }),
    (error: unknown) => ({ error: (error as Error).message }),
  );
  process.stdout.write(JSON.stringify(seen));
}

void main();
