import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import type { AdmissionDependencies } from '../../../shared/auth/admission';
import { Gatekeeper } from '../../../shared/auth/admission';
import type { AdmissionStore } from '../../../shared/auth/admission-store';
import type { ApiKeyHash, Caller } from '../../../shared/domain/api-key';
import type { Door } from '../../../shared/endpoint/door';
import { Capacity } from '../../../shared/http/capacity';
import { MAX_SIGN_INS_ARRIVING, SIGN_INS_PER_MINUTE } from '../../../shared/limits/console';
import type { SessionCookie } from '../session/cookie';
import { requireOwnOrigin } from '../session/own-page';
import { InstanceCounts } from './instance-counts';
import { FOR_OWN_PAGES } from './session-door';

/**
 * The door of people who sign in: anybody, counted by their address. Bodies that never come keep nobody
 * out.
 * @param proxies how many machines of ours stand between a caller and this one, each of which adds an address
 */
export function signInDoor(
  proxies: number,
  cookie: SessionCookie,
  { clock, logger }: Omit<AdmissionDependencies, 'admissionStore'>,
): Door {
  return {
    secretOf: (request) => createHash('sha256').update(networkOf(request, proxies)).digest('base64'),
    screen: (request) => requireOwnOrigin(request, cookie),
    headers: FOR_OWN_PAGES,
    gatekeeper: new Gatekeeper({ clock, logger, admissionStore: new AnybodyByAddress() }),
    capacity: new Capacity(MAX_SIGN_INS_ARRIVING),
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
 * The caller, as attempts are counted: by the address; of IPv6 by its network of 64 bits, all of whose addresses a
 * single machine may take. The platform adds to `X-Forwarded-For` whom it got the request from, and the load
 * balancer its own address, too. What stands before them is the caller's invention.
 */
function networkOf({ headers, socket }: IncomingMessage, proxies: number): string {
  const forwarded = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((address) => address.trim());
  const address = forwarded.at(-proxies - 1) || (socket.remoteAddress ?? '');
  return isIPv6(address) ? networkOfIpv6(address) : address;
}

/** The first four groups of an address, however it is written. One of IPv4 in the form of IPv6 stays as it is. */
function networkOfIpv6(address: string): string {
  const [withoutZone = ''] = address.split('%');
  const { hostname } = new URL(`http://[${withoutZone}]`); // groups without leading zeros, in lower case
  const [head = '', tail = ''] = hostname.slice(1, -1).split('::');
  if (head === '' && tail.startsWith('ffff:')) return tail;
  const [first, last] = [head, tail].map((part) => (part === '' ? [] : part.split(':'))) as [string[], string[]];
  const zeros = Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0');
  return [...first, ...zeros, ...last].slice(0, 4).join(':');
}
