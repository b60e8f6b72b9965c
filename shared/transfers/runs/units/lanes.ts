/**
 * The lanes of a tenant. In each at most one unit is under way, so that there are at most as many as lanes, in all runs
 * of the tenant and all instances together. A lane's document holds its unit; a lane without a document is free. Units
 * that find no free lane wait, each in a document of its own, and not in the queue: it has a few messages of each
 * tenant, and one file of a tenant never waits behind the ten thousand of another.
 */
import type { StoredDocument, Version } from '../../../documents/document-store';
import { isEarlier } from '../../../documents/document-store';
import {
  idOf,
  runFilePath,
  runPath,
  transferLanePath,
  transferLanesPath,
  waitingUnitPath,
  waitingUnitsPath,
} from '../../../documents/paths';
import { REQUEST_DEADLINE_MS } from '../../../domain/limits';
import type { DocumentData } from '../../../domain/records/document';
import { FILE_HOLD_SECONDS, MAX_TENANT_CONCURRENCY } from '../../../limits/transfers';
import { waitForAll } from '../../../platform/async/in-parallel';
import { deadlineIn } from '../../../platform/deadline';
import { fromRunDocument } from '../run';
import type { TransferDependencies, UnitStep } from '../steps';
import type { Unit } from './unit';

export type LaneDependencies = Pick<
  TransferDependencies,
  'store' | 'publisher' | 'transfersTopic' | 'clock' | 'tenantConcurrency'
>;

interface Lane extends Unit {
  /**
   * By whom its step is published again: the unit that had ended in the lane, or the run that handed out and found the
   * lane for a unit of another one. Absent: by its own run.
   */
  readonly filledBy?: string;
  /** From then on its message is not delivered any more. */
  readonly heldUntil: Date;
}

interface StoredLane extends Lane {
  readonly lane: number;
  readonly version: Version;
}

/**
 * Hands out units of one run of a tenant: puts them into free lanes, and has the others wait. Those that are in a lane
 * are published again, because their message may be lost, and so are units of any run whose message is not delivered
 * any more. Repeating it is safe; whoever does it calls `publishFilled` before.
 * @returns how many messages it has published
 */
export async function handOut(
  tenantId: string,
  units: readonly Unit[],
  dependencies: LaneDependencies,
): Promise<number> {
  const [first] = units;
  if (!first) return 0;
  const { store, clock } = dependencies;
  const { runId } = first;
  const lanes = await loadLanes(tenantId, dependencies);
  const given = new Set(units.map(({ unitId }) => unitId));
  const again = lanes.filter((lane) => given.has(lane.unitId));
  for (const lane of again) await publishUnit(lane, lane.lane, dependencies);
  const overdue = lanes.filter((lane) => !given.has(lane.unitId) && lane.heldUntil.getTime() <= clock.nowMs());
  for (const lane of overdue) {
    await fill(tenantId, lane.lane, lane.version, { unit: unitOf(lane), filledBy: runId }, dependencies);
  }
  const underWay = new Set(lanes.map(({ unitId }) => unitId));
  const rest = units.filter(({ unitId }) => !underWay.has(unitId));
  let published = again.length;
  // No document for those that a lane is free for. Nothing else waits then.
  for (const lane of freeLanes(lanes, dependencies)) {
    const [unit] = rest;
    if (unit && (await fill(tenantId, lane, 'absent', { unit }, dependencies))) {
      rest.shift();
      published += 1;
    }
  }
  if (rest.length === 0) return published;
  const waiting = rest.map((unit) => ({
    set: waitingUnitPath(tenantId, unit.unitId),
    data: toData(unit),
    when: 'absent' as const,
  }));
  await store.writeEach(waiting, callDeadline(dependencies));
  // A lane may have become free before they waited, and nobody has looked since.
  const lanesNow = await loadLanes(tenantId, dependencies);
  for (const lane of freeLanes(lanesNow, dependencies)) await passOnBy(runId, tenantId, lane, undefined, dependencies);
  for (const { lane, unitId } of await findEnded(lanesNow, dependencies)) {
    await passOnBy(runId, tenantId, lane, unitId, dependencies);
  }
  return published;
}

/**
 * Publishes again what a run has put into lanes for units that were waiting, unless they have begun. To be called where
 * a step of it that hands out is repeated, also if nothing of its own is left to be handed out: the first attempt may
 * have ended before it published them. Repeating it is safe.
 */
export async function publishFilled(tenantId: string, runId: string, dependencies: LaneDependencies): Promise<void> {
  const lanes = await loadLanes(tenantId, dependencies);
  for (const lane of lanes) if (lane.filledBy === runId) await publishUnlessBegun(lane, dependencies);
}

/**
 * Passes a lane on whose unit is in another one, too, where another step reads it. A repeat of handing out may have put
 * it there while it was passed on. Repeating it is safe.
 */
export async function leaveDoubled(
  tenantId: string,
  { lane, unitId }: Pick<UnitStep, 'lane' | 'unitId'>,
  dependencies: LaneDependencies,
): Promise<void> {
  const lanes = await loadLanes(tenantId, dependencies);
  const isElsewhere = lanes.some((other) => other.unitId === unitId && other.lane !== lane);
  if (isElsewhere) await passOn(tenantId, lane, unitId, dependencies);
}

/**
 * Passes a lane on to the next unit that waits, or frees it. Repeating it is safe.
 * @param ended the unit that has ended in it
 */
export function passOn(tenantId: string, lane: number, ended: string, dependencies: LaneDependencies): Promise<void> {
  return passOnBy(ended, tenantId, lane, ended, dependencies);
}

/**
 * @param by the unit or the run by which the next unit is published again
 * @param ended undefined: no unit, the lane is free
 */
async function passOnBy(
  by: string,
  tenantId: string,
  lane: number,
  ended: string | undefined,
  dependencies: LaneDependencies,
): Promise<void> {
  const { store, tenantConcurrency } = dependencies;
  for (;;) {
    const [before, waiting] = await waitForAll([
      loadLane(tenantId, lane, dependencies),
      lane < tenantConcurrency ? findWaiting(tenantId, lane, dependencies) : undefined,
    ]);
    if (before && before.unitId !== ended) {
      // An earlier delivery has passed it on, and may have ended before it published the next message.
      if (before.filledBy === by) await publishUnlessBegun(before, dependencies);
      return;
    }
    if (waiting) {
      const next = { unit: fromData<Unit>(waiting), waiting: waiting.version, filledBy: by };
      if (await fill(tenantId, lane, before?.version ?? 'absent', next, dependencies)) return;
    } else {
      if (!before) return;
      const free = { delete: transferLanePath(tenantId, lane), when: before.version };
      await store.commit([free], callDeadline(dependencies)); // then it looks once more: a unit may have come to wait
    }
  }
}

/** Has the unit of a lane wait again, and frees the lane: its tenant is suspended. Repeating it is safe. */
export async function putBack(
  tenantId: string,
  { lane, unitId }: Pick<UnitStep, 'lane' | 'unitId'>,
  dependencies: LaneDependencies,
): Promise<void> {
  const before = await loadLane(tenantId, lane, dependencies);
  if (before?.unitId !== unitId) return;
  const free = { delete: transferLanePath(tenantId, lane), when: before.version };
  const waits = { set: waitingUnitPath(tenantId, unitId), data: toData(unitOf(before)) };
  await dependencies.store.commit([free, waits], callDeadline(dependencies));
}

/**
 * Puts a unit into a lane, and publishes its step.
 * @param when what the lane's document must be: absent, or still of this version
 * @returns false when another step was faster, and nothing is done
 */
async function fill(
  tenantId: string,
  lane: number,
  when: Version | 'absent',
  { unit, waiting, filledBy }: { readonly unit: Unit; readonly waiting?: Version; readonly filledBy?: string },
  dependencies: LaneDependencies,
): Promise<boolean> {
  const { store, clock } = dependencies;
  const heldUntil = new Date(clock.nowMs() + FILE_HOLD_SECONDS * 1000);
  const filled: Lane = { ...unit, heldUntil, ...(filledBy !== undefined && { filledBy }) };
  const waits = { delete: waitingUnitPath(tenantId, unit.unitId), ...(waiting && { when: waiting }) };
  const writes = [waits, { set: transferLanePath(tenantId, lane), data: toData(filled), when }];
  if ((await store.commit(writes, callDeadline(dependencies))) === 'conflict') {
    // The commit may have been applied and its answer lost. Then nobody else publishes the step.
    const now = await loadLane(tenantId, lane, dependencies);
    if (now?.unitId !== unit.unitId || now.heldUntil.getTime() !== heldUntil.getTime()) return false;
  }
  await publishUnit(unit, lane, dependencies);
  return true;
}

async function publishUnlessBegun(lane: StoredLane, dependencies: LaneDependencies): Promise<void> {
  if (!(await isBegun(lane, dependencies))) await publishUnit(lane, lane.lane, dependencies);
}

/** Whether the step of a lane's unit has written of its first file, so that its message was delivered. */
async function isBegun({ runId, fileIds: [first], version }: StoredLane, dependencies: LaneDependencies) {
  if (first === undefined) return false;
  const file = await dependencies.store.get(runFilePath(runId, first), callDeadline(dependencies));
  return file !== undefined && isEarlier(version, file.version);
}

/** The lanes whose run has ended. Nobody may be left to pass them on: their messages may be discarded. */
async function findEnded(lanes: readonly StoredLane[], dependencies: LaneDependencies): Promise<StoredLane[]> {
  const paths = [...new Set(lanes.map(({ runId }) => runPath(runId)))];
  const runs = await dependencies.store.getAll(paths, callDeadline(dependencies));
  const running = new Set(runs.filter((run) => fromRunDocument(run).status === 'running').map(({ path }) => path));
  return lanes.filter(({ runId }) => !running.has(runPath(runId)));
}

/** A unit that waits. Each lane looks for another one of the first, so that two rarely choose the same. */
async function findWaiting(
  tenantId: string,
  lane: number,
  dependencies: LaneDependencies,
): Promise<StoredDocument | undefined> {
  const page = { limit: lane + 1 };
  const first = await dependencies.store.list(waitingUnitsPath(tenantId), page, callDeadline(dependencies));
  return first[lane % first.length];
}

function freeLanes(lanes: readonly StoredLane[], { tenantConcurrency }: LaneDependencies): number[] {
  const taken = new Set(lanes.map(({ lane }) => lane));
  return Array.from({ length: tenantConcurrency }, (_, lane) => lane).filter((lane) => !taken.has(lane));
}

async function loadLane(
  tenantId: string,
  lane: number,
  dependencies: LaneDependencies,
): Promise<StoredLane | undefined> {
  const document = await dependencies.store.get(transferLanePath(tenantId, lane), callDeadline(dependencies));
  return document && toStoredLane(document);
}

/** All lanes that are not free, those of a greater TRANSFER_TENANT_CONCURRENCY before among them. */
async function loadLanes(tenantId: string, dependencies: LaneDependencies): Promise<StoredLane[]> {
  const page = { limit: MAX_TENANT_CONCURRENCY };
  const documents = await dependencies.store.list(transferLanesPath(tenantId), page, callDeadline(dependencies));
  return documents.map(toStoredLane);
}

function toStoredLane(document: StoredDocument): StoredLane {
  return { ...fromData<Lane>(document), lane: Number(idOf(document.path)), version: document.version };
}

function unitOf({ unitId, runId, fileIds, traceparent, expireAt }: Unit): Unit {
  return { unitId, runId, fileIds, ...(traceparent !== undefined && { traceparent }), expireAt };
}

function publishUnit(
  { runId, unitId, fileIds, traceparent }: Unit,
  lane: number,
  { publisher, transfersTopic }: LaneDependencies,
): Promise<void> {
  const step: UnitStep = { step: 'unit', runId, lane, unitId, fileIds };
  return publisher.publish(transfersTopic, step, traceparent === undefined ? undefined : { traceparent });
}

function callDeadline({ clock }: Pick<LaneDependencies, 'clock'>) {
  return deadlineIn(REQUEST_DEADLINE_MS, clock);
}

// They are stored as they are, and read without a check: nobody else writes them.
const toData = (unit: Unit): DocumentData => ({ ...unit });
const fromData = <T extends Unit>({ data }: StoredDocument): T => data as unknown as T;
