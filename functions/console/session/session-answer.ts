import type { Caller } from '../../../shared/domain/api-key';
import { EVERY_ORGANIZATION } from '../../../shared/domain/api-key';
import type { ApiKeyHash, Permission } from '../../../shared/domain/api-key';
import { earlierEnd } from '../../../shared/domain/key-authority';
import type { Session } from './session';
import { csrfTokenOf } from './session';

/** What the console tells those who are signed in about themselves, and about the service that they look at. */
export interface SessionDto {
  readonly operator: boolean;
  /** Null for an operator: all of them. */
  readonly organizationId: string | null;
  /** Null for an operator. */
  readonly keyId: string | null;
  readonly permissions: readonly Permission[];
  /** The end of the session, or that of its key where it comes sooner. */
  readonly endsAt: string;
  /** What writes show in `X-CSRF-Token`. */
  readonly csrfToken: string;
  /** To whom tenants grant their buckets. */
  readonly transferServiceAccount: string;
  /** The Google Cloud project, for an operator; else null. */
  readonly projectId: string | null;
}

export interface AboutService {
  readonly transferServiceAccount: string;
  readonly projectId: string;
}

/** @param hash the session's own */
export function toSessionDto(
  { organizationId, keyId, permissions, expiresAtMs }: Caller,
  { endsAtMs }: Session,
  hash: ApiKeyHash,
  { transferServiceAccount, projectId }: AboutService,
): SessionDto {
  const isOperator = organizationId === EVERY_ORGANIZATION;
  return {
    operator: isOperator,
    organizationId: isOperator ? null : organizationId,
    keyId: isOperator ? null : keyId,
    permissions,
    endsAt: new Date(earlierEnd(expiresAtMs, endsAtMs)).toISOString(),
    csrfToken: csrfTokenOf(hash),
    transferServiceAccount,
    projectId: isOperator ? projectId : null,
  };
}
