/** How long a batch takes, and what it asks for: the service's own admission and upsert, on a simulated clock. */
import { StoredAdmission } from '../../../shared/auth/stored-admission';
import { Gatekeeper } from '../../../shared/auth/admission';
import { toKeyDocument, toTenantDocument } from '../../../shared/auth/tenant-documents';
import { findPendingHint } from '../../../shared/deletions/pending-flag';
import { apiKeyPath, tenantPath } from '../../../shared/documents/paths';
import type { ApiKey } from '../../../shared/domain/api-key';
import { hashApiKey, PERMISSIONS } from '../../../shared/domain/api-key';
import type { UpsertCustomerDto } from '../../../shared/domain/dto/customer';
import { REQUEST_DEADLINE_MS } from '../../../shared/domain/limits';
import type { Tenant, TenantId } from '../../../shared/domain/tenant';
import { DEFAULT_SETTINGS } from '../../../shared/domain/tenant';
import { deadlineIn } from '../../../shared/platform/deadline';
import { newTrace } from '../../../shared/platform/trace';
import { MergeQueue } from '../../../shared/records/merge-queue';
import { PresencePredictor } from '../../../shared/records/presence-predictor';
import { planCustomers } from '../../../shared/records/upsert-customers';
import { sampleRecords } from '../../bench/sample-records';
import { LatencyModel } from '../../bench/profiles/latencies';
import { CollectingLogger } from '../../support/recording-fakes';
import { FastRandom } from '../engine/draws';
import { SimulatedClock } from '../engine/simulated-clock';
import type { Work } from './metered-cloud';
import { MeteredCloud } from './metered-cloud';

export const TENANT: Tenant = {
  ...DEFAULT_SETTINGS,
  tenantId: '11111111-1111-4111-8111-111111111111' as TenantId,
  organizationId: 'acme',
};
const KEY = Buffer.alloc(32, 7).toString('base64');

/** A piece of work, done several times. */
export interface Probe {
  /** Of one of them; they all ask for the same. */
  readonly work: Work;
  /** Time that each took, waiting for the services: what the processor takes is not in it. */
  readonly durationsMs: readonly number[];
}

export interface RequestProbes {
  /** Of an instance that has admitted the key to the tenant before. */
  readonly known: Probe;
  /** The first request of a key that an instance gets. */
  readonly unknown: Probe;
}

/** Each time the tenant, its key and its records are new to the database. */
export async function probeRequests(
  batch: number,
  requestsPerMinute: number,
  times: number,
  seed: string,
): Promise<RequestProbes> {
  const samples = [];
  for (let time = 0; time < times; time += 1)
    samples.push(await probeOnce(batch, requestsPerMinute, `${seed} ${time}`));
  return { known: toProbe(samples.map(({ known }) => known)), unknown: toProbe(samples.map(({ unknown }) => unknown)) };
}

/** One measured piece of work. */
export interface Sample {
  readonly work: Work;
  readonly durationMs: number;
}

/** @throws Error without samples */
export function toProbe(samples: readonly Sample[]): Probe {
  const [first] = samples;
  if (!first) throw new Error('A probe needs at least one sample.');
  return { work: first.work, durationsMs: samples.map(({ durationMs }) => durationMs) };
}

/** Measures a piece of work on a cloud. */
export async function measure(cloud: MeteredCloud, act: () => Promise<unknown>): Promise<Sample> {
  const { clock } = cloud;
  cloud.restart();
  const begunMs = clock.nowMs();
  await clock.runWhile(act());
  return { work: cloud.work, durationMs: clock.nowMs() - begunMs };
}

async function probeOnce(batch: number, requestsPerMinute: number, seed: string) {
  const random = new FastRandom(seed);
  const clock = new SimulatedClock();
  const cloud = new MeteredCloud(clock, new LatencyModel(random));
  const { store } = cloud;
  const logger = new CollectingLogger();
  const key: ApiKey = {
    hash: hashApiKey(KEY)!,
    keyId: 'key_1',
    name: null,
    organizationId: TENANT.organizationId,
    permissions: PERMISSIONS,
    requestsPerMinute,
    createdAtMs: 0,
    expiresAtMs: null,
    revokedAtMs: null,
  };
  const stored = [
    { set: tenantPath(TENANT.tenantId), data: toTenantDocument(TENANT) },
    { set: apiKeyPath(key.hash), data: toKeyDocument(key) },
  ];
  await measure(cloud, () => store.commit(stored, deadlineIn(REQUEST_DEADLINE_MS, clock)));
  const gatekeeper = new Gatekeeper({ admissionStore: new StoredAdmission(store), clock, logger });
  const dependencies = {
    ...{ store, clock, random, logger },
    presencePredictor: new PresencePredictor(),
    mergeQueue: new MergeQueue(),
  };
  const request = async (first: number) => {
    const records = sampleRecords('customers', batch, first) as UpsertCustomerDto[];
    const deadline = deadlineIn(REQUEST_DEADLINE_MS, clock);
    const admission = gatekeeper.begin(KEY, TENANT.tenantId, { ...newTrace(random), deadline });
    const { tenantId } = TENANT;
    const lookAhead = admission.likelyTenant && findPendingHint(tenantId, 'customers', batch, store, deadline);
    const caller = await admission.authenticate();
    await admission.count(caller);
    const tenant = await admission.requireTenant(caller, tenantId, 'customers');
    const upsert = planCustomers(records, tenant, dependencies);
    const hint = lookAhead ?? findPendingHint(tenantId, 'customers', batch, store, deadline);
    await Promise.all([upsert(hint, deadline, Promise.resolve(false)), admission.settleStatus()]);
  };
  const unknown = await measure(cloud, () => request(0));
  await measure(cloud, () => request(batch)); // from here on a key with a high limit has a lease
  return { unknown, known: await measure(cloud, () => request(2 * batch)) };
}
