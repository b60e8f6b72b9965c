import type { Actor } from '../audit/audit-log';
import type { Door } from '../audit/entry';

const SCOPES = ['https://www.googleapis.com/auth/cloud-platform', 'https://www.googleapis.com/auth/userinfo.email'];

/** The account of the application default credentials: its e-mail address, or that none is known. Never rejects. */
export class GoogleAccount implements Actor {
  private found: Promise<string> | undefined;

  constructor(readonly door: Door) {}

  name(): Promise<string> {
    return (this.found ??= findEmail().then(
      (email) => email ?? 'an account without an e-mail address',
      () => 'an account whose e-mail address could not be looked up', // an incident must not wait for it
    ));
  }
}

/**
 * Credentials of service accounts name their account. Of a person's, Google tells it for a token; `gcloud auth
 * application-default login` asks for a token that may be asked so. Undefined: neither tells it.
 */
async function findEmail(): Promise<string | undefined> {
  const { GoogleAuth, OAuth2Client } = await import('google-auth-library');
  const auth = new GoogleAuth({ scopes: SCOPES });
  const { client_email: ofServiceAccount } = await auth.getCredentials();
  if (ofServiceAccount) return ofServiceAccount;
  const client = await auth.getClient();
  const { token } = await client.getAccessToken();
  if (!(client instanceof OAuth2Client) || !token) return undefined;
  return (await client.getTokenInfo(token)).email;
}
