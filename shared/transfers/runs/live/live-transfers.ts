/**
 * Live transfers as they are registered: which bucket and folders, and whether uploads wait.
 *
 * `state` says what is to be done for the uploads of a tenant. The first upload makes it `waiting`; the others find it
 * so and write nothing. Once a minute the tenants that wait get a run (`start-live-runs.ts`).
 */
import { isDeepStrictEqual } from 'node:util';
import type { Deadline } from '../../../platform/deadline';
import type { DocumentStore, StoredDocument, Version } from '../../../documents/document-store';
import { pagesBy } from '../../../documents/pages';
import { idOf, LIVE_TRANSFERS, liveTransferPath } from '../../../documents/paths';
import { bucketId } from '../../../domain/identity';
import type { TenantId } from '../../../domain/tenant';
import { LIVE_TRANSFERS_OF_A_PAGE } from '../../../limits/live';
import type { Clock } from '../../../platform/clock';

/** `starting`: the run of `runId` is being started, and may already have looked for uploads. */
export type LiveState = 'waiting' | 'starting';

export interface LiveTransfer {
  readonly tenantId: TenantId;
  readonly bucketName: string;
  /** As they were registered; empty: the whole bucket (D-38). */
  readonly folderPaths: readonly string[];
  /** When it was registered like this. */
  readonly since: Date;
  /** Absent: nothing waits. */
  readonly state?: LiveState;
  /** The run that is being started. */
  readonly runId?: string;
  readonly version: Version;
}

/**
 * Registers the live transfer of a tenant, or changes it. What waits goes on waiting. A repeat changes nothing, not
 * even since when it is registered.
 */
export async function registerLiveTransfer(
  { tenantId, bucketName, folderPaths }: Pick<LiveTransfer, 'tenantId' | 'bucketName' | 'folderPaths'>,
  deadline: Deadline,
  { store, clock }: { readonly store: DocumentStore; readonly clock: Clock },
): Promise<void> {
  const before = await findLiveTransfer(tenantId, deadline, store);
  if (before?.bucketName === bucketName && isDeepStrictEqual(before.folderPaths, folderPaths)) return;
  const data = { bucketId: bucketId(bucketName), bucketName, folderPaths, since: new Date(clock.nowMs()) };
  await store.commit([{ set: liveTransferPath(tenantId), data, fields: Object.keys(data) }], deadline);
}

/** Unregisters it: no further upload is noted. Repeating it is safe. */
export async function unregisterLiveTransfer(
  tenantId: TenantId,
  deadline: Deadline,
  store: DocumentStore,
): Promise<void> {
  await store.commit([{ delete: liveTransferPath(tenantId) }], deadline);
}

/** The live transfer of a tenant; undefined: it has none. */
export async function findLiveTransfer(
  tenantId: string,
  deadline: Deadline,
  store: Pick<DocumentStore, 'get'>,
): Promise<LiveTransfer | undefined> {
  const document = await store.get(liveTransferPath(tenantId), deadline);
  return document && fromDocument(document);
}

/** Pages of the live transfers of a bucket. */
export async function* liveTransfersOf(
  bucketName: string,
  deadline: Deadline,
  store: Pick<DocumentStore, 'findWhere'>,
): AsyncGenerator<LiveTransfer[]> {
  const id = bucketId(bucketName);
  const pages = pagesBy(LIVE_TRANSFERS_OF_A_PAGE, (page) =>
    store.findWhere(LIVE_TRANSFERS, 'bucketId', id, page, deadline),
  );
  for await (const page of pages) yield page.map(fromDocument);
}

/** Pages of the live transfers for which a run is to be started. @param after the tenant before; undefined: none */
export async function* waitingTransfers(
  after: TenantId | undefined,
  deadline: Deadline,
  store: Pick<DocumentStore, 'findWhere'>,
): AsyncGenerator<LiveTransfer[]> {
  const states: readonly LiveState[] = ['starting', 'waiting'];
  const pages = pagesBy(
    LIVE_TRANSFERS_OF_A_PAGE,
    (page) => store.findWhere(LIVE_TRANSFERS, 'state', states, page, deadline),
    after && liveTransferPath(after),
  );
  for await (const page of pages) yield page.map(fromDocument);
}

/**
 * Changes the state of a live transfer that is still in this version.
 * @returns its version then; `conflict`: it has changed meanwhile, or is gone
 */
export function setLiveState(
  { tenantId, version }: Pick<LiveTransfer, 'tenantId' | 'version'>,
  data: Pick<LiveTransfer, 'state' | 'runId'>,
  deadline: Deadline,
  store: Pick<DocumentStore, 'commit'>,
): Promise<Version | 'conflict'> {
  const write = { set: liveTransferPath(tenantId), data: { ...data }, fields: ['state', 'runId'], when: version };
  return store.commit([write], deadline);
}

// Read without a check: nobody else writes them.
function fromDocument({ path, data, version }: StoredDocument): LiveTransfer {
  return { ...(data as unknown as LiveTransfer), tenantId: idOf(path) as TenantId, version };
}
