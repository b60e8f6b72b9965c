import type { TenantId } from '../../shared/domain/tenant';
import { parseTenantId } from '../../shared/domain/tenant';
import { MAX_GENERATION_DIGITS } from '../../shared/limits/live';
import { MAX_OBJECT_NAME_BYTES } from '../../shared/limits/transfers';
import type { Deadline } from '../../shared/platform/deadline';
import type { EventHandler } from '../../shared/events/event-handler';
import { UnprocessableEvent } from '../../shared/events/event-handler';
import { beginDueRuns } from '../../shared/transfers/runs/waiting/begin-due-runs';
import type { LiveRunDependencies } from '../../shared/transfers/runs/live/start-live-runs';
import { startLiveRuns } from '../../shared/transfers/runs/live/start-live-runs';
import type { Upload } from '../../shared/transfers/runs/live/uploads';
import { noteUpload } from '../../shared/transfers/runs/live/uploads';

export interface UploadConsumerDependencies extends LiveRunDependencies {
  /** The topic of these events. */
  readonly uploadsTopic: string;
}

/** The event that asks for the runs that wait, or for the rest of them. */
export interface StartRequested {
  readonly start: true;
  readonly after?: TenantId;
}

/**
 * Handles the events of the uploads topic:
 *
 * - An object as Cloud Storage tells of it, when it was uploaded to a bucket. It is noted for the tenants with a live
 *   transfer of its folder. Where nobody has one, it is ignored.
 * - `{"start": true}`, once a minute, begins the runs that are due and starts those of the uploads that wait
 *   (R-379).
 *
 * A repeat of each is safe.
 */
export function createUploadConsumer(dependencies: UploadConsumerDependencies): EventHandler {
  return async (event, deadline) => {
    const fields = (event ?? {}) as Record<string, unknown>;
    if (fields.start === true) return startRuns(readCursor(fields.after), deadline, dependencies);
    const upload = readUpload(fields);
    if (!upload) throw new UnprocessableEvent('The event is no object of Cloud Storage: set --payload-format=json.');
    if (!upload.object.endsWith('/')) await noteUpload(upload, deadline, dependencies); // else a folder's placeholder
  };
}

/** What the time does not suffice for is left to a further message. */
async function startRuns(
  after: TenantId | undefined,
  deadline: Deadline,
  dependencies: UploadConsumerDependencies,
): Promise<void> {
  const { publisher, uploadsTopic } = dependencies;
  const haveBegun = await beginDueRuns(deadline, dependencies);
  const last = haveBegun ? await startLiveRuns(after, deadline, dependencies) : after;
  if (haveBegun && last === undefined) return;
  const rest: StartRequested = { start: true, ...(last !== undefined && { after: last }) };
  await publisher.publish(uploadsTopic, rest);
}

/** Undefined: it starts at the first tenant. @throws UnprocessableEvent */
function readCursor(after: unknown): TenantId | undefined {
  if (after === undefined) return undefined;
  const tenantId = typeof after === 'string' ? parseTenantId(after) : undefined;
  if (!tenantId) throw new UnprocessableEvent('The event goes on after no tenant.');
  return tenantId;
}

/** Undefined when no object can be like this. */
function readUpload({ kind, bucket, name, generation }: Record<string, unknown>): Upload | undefined {
  if (kind !== 'storage#object' || typeof bucket !== 'string' || typeof name !== 'string') return undefined;
  if (name === '' || Buffer.byteLength(name) > MAX_OBJECT_NAME_BYTES) return undefined;
  const isGeneration =
    typeof generation === 'string' && generation.length <= MAX_GENERATION_DIGITS && DIGITS.test(generation);
  return isGeneration ? { bucketName: bucket, object: name, generation } : undefined;
}

const DIGITS = /^\d+$/;
