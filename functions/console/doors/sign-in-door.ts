import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { AdmissionDependencies } from '../../../shared/auth/admission';
import { Gatekeeper } from '../../../shared/auth/admission';
import type { AdmissionStore } from '../../../shared/auth/admission-store';
import type { ApiKeyHash, Caller } from '../../../shared/domain/api-key';
import type { Door } from '../../../shared/endpoint/door';
import { Capacity } from '../../../shared/http/capacity';
import { SIGN_INS_PER_MINUTE } from '../../../shared/limits/console';
import { requireOwnOrigin } from '../session/own-page';
import { InstanceCounts } from './instance-counts';
import { FOR_OWN_PAGES } from './session-door';

/**
 * The door of people who sign in: anybody, counted by their address.
 * @param proxies how many machines of ours stand between a caller and this one, each of which adds an address
 */
export function signInDoor(proxies: number, { clock, logger }: Omit<AdmissionDependencies, 'admissionStore'>): Door {
  return {
    secretOf: (request) => createHash('sha256').update(addressOf(request, proxies)).digest('base64'),
    screen: requireOwnOrigin,
    headers: FOR_OWN_PAGES,
    gatekeeper: new Gatekeeper({ clock, logger, admissionStore: new AnybodyByAddress() }),
    capacity: new Capacity(),
  };
}

/** Nobody in particular, who may do nothing but what needs no permission. */
class AnybodyByAddress extends InstanceCounts implements AdmissionStore {
  findKey(hash: ApiKeyHash): Promise<Caller> {
    return Promise.resolve({
      hash,
      keyHash: null,
      keyId: '',
      name: null,
      organizationId: '',
      permissions: [],
      requestsPerMinute: SIGN_INS_PER_MINUTE,
      createdAtMs: 0,
      expiresAtMs: null,
      revokedAtMs: null,
    });
  }

  findTenant(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
}

/**
 * The address of a caller. The platform adds to `X-Forwarded-For` whom it got the request from, and the load balancer
 * its own address, too. What stands before them is the caller's invention.
 */
function addressOf({ headers, socket }: IncomingMessage, proxies: number): string {
  const forwarded = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((address) => address.trim());
  return forwarded.at(-proxies - 1) || (socket.remoteAddress ?? '');
}
