import type { CallCredentials, ChannelCredentials } from '@grpc/grpc-js';
import { credentials, Metadata } from '@grpc/grpc-js';
import type { GoogleAuth } from 'google-auth-library';

/** TLS, with a token of this scope for the account that the function runs as. */
export function googleCredentials(scope: string): ChannelCredentials {
  return credentials.combineChannelCredentials(credentials.createSsl(), tokenCredentials(scope));
}

/**
 * Adds the account's token to each call. Google's library caches and renews the token. It is loaded by the first call,
 * because the local stack does not need it.
 */
export function tokenCredentials(scope: string): CallCredentials {
  let auth: Promise<GoogleAuth> | undefined;
  return credentials.createFromMetadataGenerator(({ service_url }, callback) => {
    auth ??= loadAuth(scope);
    auth
      .then((loaded) => loaded.getRequestHeaders(service_url))
      .then(
        (headers) => callback(null, toMetadata(headers)),
        (error: unknown) => {
          auth = undefined; // the next call tries again, or one failure would last as long as the instance
          callback(error instanceof Error ? error : new Error(String(error)));
        },
      );
  });
}

async function loadAuth(scope: string): Promise<GoogleAuth> {
  const { GoogleAuth } = await import('google-auth-library');
  return new GoogleAuth({ scopes: [scope] });
}

function toMetadata(headers: Headers): Metadata {
  const metadata = new Metadata();
  headers.forEach((value, name) => metadata.set(name, value));
  return metadata;
}
