import { createHash } from 'node:crypto';
import type { ApiKeyHash } from '../../../shared/domain/api-key';
import { API_KEY_BYTES, hashApiKey } from '../../../shared/domain/api-key';
import { SESSION_MS } from '../../../shared/limits/console';
import type { Clock } from '../../../shared/platform/clock';
import type { Deadline } from '../../../shared/platform/deadline';
import type { Random } from '../../../shared/platform/random';

/** What a door gives a person in place of a key. Its secret has the shape of a key; only its hash is kept. */
export interface Session {
  /** Milliseconds since the epoch. */
  readonly endsAtMs: number;
}

/** The sessions of a door. */
export interface Sessions {
  /** Undefined: there is none, or it has ended. */
  find(hash: ApiKeyHash, deadline: Deadline): Promise<Session | undefined>;
  /** A repeat changes nothing. */
  end(hash: ApiKeyHash, deadline: Deadline): Promise<void>;
}

/** A session that has just begun. */
export interface BegunSession extends Session {
  readonly secret: string;
  readonly hash: ApiKeyHash;
}

export function newSession({ clock, random }: { readonly clock: Clock; readonly random: Random }): BegunSession {
  const secret = random.bytes(API_KEY_BYTES).toString('base64');
  const hash = hashApiKey(secret);
  if (!hash) throw new Error('A new secret must have the shape of a key.');
  return { secret, hash, endsAtMs: clock.nowMs() + SESSION_MS };
}

/**
 * What a write of the session must show in the header `X-CSRF-Token`. It follows from the session, so that it
 * need not be stored. It is no secret by which anybody could enter.
 */
export function csrfTokenOf(hash: ApiKeyHash): string {
  return createHash('sha256').update(`csrf.${hash}`).digest('base64url');
}
