/** Key, rate limit and tenant, from the same documents as the service's. */
import { FieldValue } from '@google-cloud/firestore';
import type { DocumentReference, Firestore } from '@google-cloud/firestore';
import { createHash } from 'node:crypto';

/** Why a request is refused, as an HTTP status. */
export class Refusal extends Error {
  constructor(
    readonly statusCode: number,
    message: string,
  ) {
    super(message);
  }
}

export interface Admitted {
  readonly tenant: DocumentReference;
  readonly defaultLanguage: string | null;
  /** The request's own count; awaited before the answer. */
  readonly counted: Promise<unknown>;
}

/** One read for key, tenant and counter; counting goes on beside the work. @throws Refusal 401, 429, 404, 403 */
export async function admit(database: Firestore, keyText: unknown, tenantId: string, permission: string) {
  const hash = createHash('sha256')
    .update(typeof keyText === 'string' ? keyText : '')
    .digest('base64url');
  const minute = Math.floor(Date.now() / 60_000);
  const counter = database.doc(`rateCounters/${hash}.${minute}`);
  const tenant = database.doc(`tenants/${tenantId.toLowerCase()}`);
  const [key, settings, counts] = await database.getAll(database.doc(`apiKeys/${hash}`), tenant, counter);
  if (!key?.exists || key.get('revokedAt') !== null)
    throw new Refusal(401, 'The key is missing, incorrect or revoked.');
  if (Number(counts?.get('count') ?? 0) >= Number(key.get('requestsPerMinute'))) throw new Refusal(429, 'Rate limit.');
  const expireAt = new Date((minute + 60) * 60_000);
  const counted = counter.set({ count: FieldValue.increment(1), expireAt }, { merge: true });
  counted.catch(() => undefined); // seen where it is awaited
  if (!settings?.exists) throw new Refusal(404, 'Tenant not found.');
  if (settings.get('organizationId') !== key.get('organizationId')) throw new Refusal(403, 'Another organization.');
  if (!(key.get('permissions') as string[]).includes(permission))
    throw new Refusal(403, 'The key lacks the permission.');
  return { tenant, defaultLanguage: settings.get('defaultLanguage') as string | null, counted } satisfies Admitted;
}
