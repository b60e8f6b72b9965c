import type { Operator, OperatorMeans } from '../../shared/operations/operator';
import { connect } from '../../functions/admin/connection';
import { createTenant } from '../../shared/operations/tenants';
import type { TenantOptions } from '../../shared/operations/tenants';
import { FirestoreDocumentStore } from '../../shared/adapters/firestore/firestore-document-store';
import { GrpcFirestore } from '../../shared/adapters/firestore/grpc/grpc-firestore';
import { systemClock } from '../../shared/platform/clock';
import type { Config } from '../../shared/config';
import { readConfig } from '../../shared/config';
import { deadlineIn } from '../../shared/platform/deadline';
import { REQUEST_DEADLINE_MS } from '../../shared/domain/limits';
import type { Tenant } from '../../shared/domain/tenant';
import { systemRandom } from '../../shared/platform/random';
import { MergeQueue } from '../../shared/records/merge-queue';
import { PresencePredictor } from '../../shared/records/presence-predictor';
import type { UpsertDependencies } from '../../shared/records/upsert-dependencies';

/** The emulator holds what a client has locked that is gone for up to so long, and nobody goes on with it meanwhile. */
export const LONGEST_LOCK_MS = 120_000;

/** The database of the emulator that the test run started, as operators and functions use it. */
export type EmulatorOperator = DeployedOperator & {
  /** A tenant of its own for a test, so that tests can run at once. */
  createTenant(options?: TenantOptions): Promise<Tenant>;
  close(): Promise<void>;
};

export function connectToEmulator(): EmulatorOperator {
  // A busy machine may take its time; a request has as much.
  const deadline = () => deadlineIn(REQUEST_DEADLINE_MS, systemClock);
  const operator = { ...connectAsDeployed(readConfig()), deadline };
  return { ...operator, createTenant: (options = {}) => createTenant({ organization: 'test', ...options }, operator) };
}

/** What deployed functions have, for the operator's commands too. */
export type DeployedOperator = Operator & OperatorMeans & UpsertDependencies & { close(): Promise<void> };

/** An operator whose database is reached in the way that deployed functions reach it. */
export function connectAsDeployed(config: Config): DeployedOperator {
  const connection = connect(config);
  const calls = new GrpcFirestore(config, systemClock);
  const close = async () => {
    await Promise.all([connection.close(), calls.close()]);
  };
  return {
    ...connection,
    store: new FirestoreDocumentStore(calls, { clock: systemClock, random: systemRandom }),
    presencePredictor: new PresencePredictor(),
    mergeQueue: new MergeQueue(),
    close,
  };
}
