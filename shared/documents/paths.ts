/**
 * Where everything is stored. All data of a tenant is below the tenant's document, so no query of one tenant can find
 * data of another. Documents with "(expires)" have a field `expireAt`, and may be gone from that time on
 * (`terraform/firestore.tf`).
 *
 *   tenants/<tenant>: configuration
 *   tenants/<tenant>/customers/<id>: records; `<id>` is a hash of the identifier (`domain/identity`)
 *   tenants/<tenant>/products/<id>: records
 *   tenants/<tenant>/orders/<id>: records, with when they were last deleted; this alone of those that are deleted
 *   tenants/<tenant>/skus/<id>: which products hold a Sku, and when it was last deleted
 *   tenants/<tenant>/deletions/<kind>-<id>: pending deletions of the record with this identity
 *   tenants/<tenant>/wideDeletions/<kind>-<id>: pending wide deletions, each with its progress
 *   tenants/<tenant>/setAsideDeletions/<id>: deletions that cannot be applied, with the reason
 *   tenants/<tenant>/deletionReceipts/<id> (expires): proof that a deletion was accepted
 *   tenants/<tenant>/deletionFlags/<kind>: whether deletions of this kind may be pending
 *   tenants/<tenant>/raisedFlags/<kind>: present while deletions of this kind may be pending
 *   tenants/<tenant>/tombstones/<id>: when the customer or product with this identity was last deleted
 *   tenants/<tenant>/takenFiles/<id> (expires): files that a run has read or that a recurring run reads
 *   tenants/<tenant>/uploads/<id> (expires): files of whose upload Cloud Storage has told, and that wait for a run
 *   tenants/<tenant>/transferLanes/<number> (expires): units of its transfers that are under way, at most one in each
 *   tenants/<tenant>/waitingUnits/<id> (expires): units that wait for a lane
 *   tenants/<tenant>/rekeying/<id>: how far re-keying is; absent: none is under way or to be repeated
 *   tenants/<tenant>/usage/<day>.<id> (expires): what an instance, or a run, has counted of the tenant on a day
 *   transferRuns/<run> (expires): runs of transfers
 *   transferRuns/<run>/files/<id> (expires): the files of a run, each with its progress
 *   transferRuns/<run>/files/<id>/leases/<n> (expires): the file's progress between two writes of its document
 *   transferRuns/<run>/files/<id>/replay/lines (expires): which lines of the file a replay reads
 *   transferRuns/<run>/files/<id>/replay/records.<row> (expires): the records of some of these lines
 *   transferRuns/<run>/pages/<id> (expires): what the planning of a run has seen
 *   transferRuns/<run>/skippedFiles/<id> (expires): files of a page that the run does not read, with the reason
 *   transferRuns/<run>/reports/<id> (expires): where the bad rows of a slice are reported
 *   transferRuns/<run>/previewed/<collection>.<id> (expires): what a preview would have stored of its tenant
 *   transferRuns/<run>/examples/<id> (expires): records that a preview would change
 *   liveTransfers/<tenant>: the bucket and folders of a live transfer, and whether uploads wait for its next run
 *   tenantNames/<name>.<tenant>: the tenants by their display names; `<name>` is its form for searches, percent-encoded
 *   buckets/<id>: the organization that a bucket belongs to
 *   apiKeys/<hash>: keys
 *   consoleSessions/<hash> (expires): whom the console has let in, and by which key
 *   auditLog/<id> (expires): who changed what; ids of later entries come first
 *   rateCounters/<hash>.<minute> (expires): requests of a key in a minute, and how many instances lease them
 */
import type { ApiKeyHash } from '../domain/api-key';
import type { RecordId, RecordKind } from '../domain/identity';
import { RECORD_KINDS } from '../domain/identity';
import { FILE_LEASES } from '../limits/transfers';

export const TENANTS = 'tenants';
export const API_KEYS = 'apiKeys';
/** The id of every tenant's collection of pending deletions. */
export const DELETIONS = 'deletions';
/** The id of every tenant's collection of raised pending-deletions flags. */
export const RAISED_FLAGS = 'raisedFlags';
/** The id of every tenant's collection of deletions that cannot be applied. */
export const SET_ASIDE_DELETIONS = 'setAsideDeletions';

/** The ids of all collections below a tenant's document. */
export const TENANT_COLLECTIONS = [
  ...RECORD_KINDS,
  'skus',
  DELETIONS,
  'wideDeletions',
  SET_ASIDE_DELETIONS,
  'deletionReceipts',
  'deletionFlags',
  RAISED_FLAGS,
  'tombstones',
  'takenFiles',
  'uploads',
  'transferLanes',
  'waitingUnits',
  'rekeying',
  'usage',
] as const;

export const tenantPath = (tenantId: string) => `${TENANTS}/${tenantId}`;
export const recordsPath = (tenantId: string, kind: RecordKind) => `${tenantPath(tenantId)}/${kind}`;
export const recordPath = (tenantId: string, kind: RecordKind, id: RecordId) => `${recordsPath(tenantId, kind)}/${id}`;
export const skusPath = (tenantId: string) => `${tenantPath(tenantId)}/skus`;
export const skuPath = (tenantId: string, id: RecordId) => `${skusPath(tenantId)}/${id}`;
export const deletionsPath = (tenantId: string) => `${tenantPath(tenantId)}/${DELETIONS}`;
export const deletionPath = (tenantId: string, deletionId: string) => `${deletionsPath(tenantId)}/${deletionId}`;
export const wideDeletionsPath = (tenantId: string) => `${tenantPath(tenantId)}/wideDeletions`;
export const wideDeletionPath = (tenantId: string, deletionId: string) =>
  `${wideDeletionsPath(tenantId)}/${deletionId}`;
export const setAsideDeletionsPath = (tenantId: string) => `${tenantPath(tenantId)}/${SET_ASIDE_DELETIONS}`;
export const setAsideDeletionPath = (tenantId: string, deletionId: string) =>
  `${setAsideDeletionsPath(tenantId)}/${deletionId}`;
export const deletionReceiptPath = (tenantId: string, deletionId: string) =>
  `${tenantPath(tenantId)}/deletionReceipts/${deletionId}`;
export const deletionFlagPath = (tenantId: string, kind: RecordKind) => `${tenantPath(tenantId)}/deletionFlags/${kind}`;
export const raisedFlagPath = (tenantId: string, kind: RecordKind) => `${tenantPath(tenantId)}/${RAISED_FLAGS}/${kind}`;
export const tombstonesPath = (tenantId: string) => `${tenantPath(tenantId)}/tombstones`;
/** Where a `Workspace` finds the tombstone of an identity. That of an order is a part of the order's document. */
export const tombstonePath = (tenantId: string, kind: RecordKind, id: RecordId) =>
  kind === 'orders' ? `${recordPath(tenantId, kind, id)}${TOMBSTONE_PART}` : `${tombstonesPath(tenantId)}/${id}`;
/** The path of a document, without the part of it that a path names. */
export const documentPathOf = (path: string) => (isPart(path) ? path.slice(0, -TOMBSTONE_PART.length) : path);
/** Whether a path names the tombstone that is a part of its record's document. Ids of records are hashes. */
export const isPart = (path: string) => path.endsWith(TOMBSTONE_PART);
const TOMBSTONE_PART = '#tombstone';
export const takenFilePath = (tenantId: string, fileId: string) => `${tenantPath(tenantId)}/takenFiles/${fileId}`;
export const uploadsPath = (tenantId: string) => `${tenantPath(tenantId)}/uploads`;
export const uploadPath = (tenantId: string, fileId: string) => `${uploadsPath(tenantId)}/${fileId}`;
export const transferLanesPath = (tenantId: string) => `${tenantPath(tenantId)}/transferLanes`;
export const transferLanePath = (tenantId: string, lane: number) => `${transferLanesPath(tenantId)}/${lane}`;
export const waitingUnitsPath = (tenantId: string) => `${tenantPath(tenantId)}/waitingUnits`;
export const waitingUnitPath = (tenantId: string, unitId: string) => `${waitingUnitsPath(tenantId)}/${unitId}`;
export const rekeyPassPath = (tenantId: string) => `${tenantPath(tenantId)}/rekeying/pass`;
export const usagePath = (tenantId: string) => `${tenantPath(tenantId)}/usage`;
export const RUNS = 'transferRuns';
export const runPath = (runId: string) => `${RUNS}/${runId}`;
export const runFilesPath = (runId: string) => `${runPath(runId)}/files`;
export const runFilePath = (runId: string, fileId: string) => `${runFilesPath(runId)}/${fileId}`;
export const runFileLeasePath = (runId: string, fileId: string, index: number) =>
  `${runFilePath(runId, fileId)}/leases/${index}`;
export const runFileLeasePaths = (runId: string, fileId: string): readonly string[] =>
  Array.from({ length: FILE_LEASES }, (_, index) => runFileLeasePath(runId, fileId, index));
export const runFileReplayPath = (runId: string, fileId: string) => `${runFilePath(runId, fileId)}/replay`;
export const runPagesPath = (runId: string) => `${runPath(runId)}/pages`;
export const runPagePath = (runId: string, pageId: string) => `${runPagesPath(runId)}/${pageId}`;
export const runSkippedFilesPath = (runId: string) => `${runPath(runId)}/skippedFiles`;
export const runSkippedFilePath = (runId: string, pageId: string) => `${runSkippedFilesPath(runId)}/${pageId}`;
export const runReportsPath = (runId: string) => `${runPath(runId)}/reports`;
export const runReportPath = (runId: string, reportId: string) => `${runReportsPath(runId)}/${reportId}`;
export const runPreviewedPath = (runId: string) => `${runPath(runId)}/previewed`;
export const runExamplesPath = (runId: string) => `${runPath(runId)}/examples`;
export const runExamplePath = (runId: string, exampleId: string) => `${runExamplesPath(runId)}/${exampleId}`;
export const LIVE_TRANSFERS = 'liveTransfers';
export const liveTransferPath = (tenantId: string) => `${LIVE_TRANSFERS}/${tenantId}`;
export const TENANT_NAMES = 'tenantNames';
export const AUDIT_LOG = 'auditLog';
export const auditEntryPath = (entryId: string) => `${AUDIT_LOG}/${entryId}`;
export const BUCKETS = 'buckets';
export const bucketPath = (id: RecordId) => `${BUCKETS}/${id}`;
export const apiKeyPath = (hash: ApiKeyHash) => `${API_KEYS}/${hash}`;
export const consoleSessionPath = (hash: ApiKeyHash) => `consoleSessions/${hash}`;
export const rateCounterPath = (hash: ApiKeyHash, minute: number) => `rateCounters/${hash}.${minute}`;

/** The tenant that owns the document at a path below `tenants/`. */
export const tenantIdOf = (path: string) => path.split('/')[1] ?? '';
/** The id of the collection that a document is in. */
export const collectionIdOf = (path: string) => path.split('/').at(-2) ?? '';
/** The collection that a document is in. */
export const collectionOf = (path: string) => path.slice(0, path.lastIndexOf('/'));
/** The last segment of a path. */
export const idOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);
