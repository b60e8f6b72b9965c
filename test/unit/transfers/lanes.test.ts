/** How the units of a tenant's runs are handed out, at most so many at once. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import type { DocumentStore } from '../../../shared/documents/document-store';
import {
  runFilePath,
  runFilesPath,
  runPath,
  transferLanePath,
  transferLanesPath,
  waitingUnitsPath,
} from '../../../shared/documents/paths';
import { FILE_HOLD_SECONDS, PACKED_FILE_FACTOR, UNIT_BYTES, UNIT_FILES } from '../../../shared/limits/transfers';
import { deadlineIn } from '../../../shared/platform/deadline';
import type { RunFile } from '../../../shared/transfers/runs/run';
import { toFileDocument } from '../../../shared/transfers/runs/run';
import type { UnitStep } from '../../../shared/transfers/runs/steps';
import type { LaneDependencies } from '../../../shared/transfers/runs/units/lanes';
import { handOut, leaveDoubled, passOn, publishFilled, putBack } from '../../../shared/transfers/runs/units/lanes';
import type { Unit } from '../../../shared/transfers/runs/units/unit';
import { handOutPending } from '../../../shared/transfers/runs/resume-run';
import { isUnitId, unitsOf, withUnits } from '../../../shared/transfers/runs/units/unit';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { overriding, withMethods } from '../../support/overriding';
import { aRunFile, aRunningRun, putRun } from '../../support/stored-run';
import { TRACEPARENT } from '../../support/traces';

const TENANT = '11111111-1111-4111-8111-111111111111';
const RUN = '20260301120000000-a';
const OTHER_RUN = '20260301130000000-b';
const THIRD_RUN = '20260301140000000-c';

/** Units of one large file each. */
function aRunsUnits(count: number, runId = RUN): Unit[] {
  const files = Array.from({ length: count }, (_, n) => [fileId(runId, n), aRunFile({ size: 2 ** 30 })] as const);
  return unitsOf(runId, aRunningRun(TENANT), withUnits(runId, new Map(files), 0));
}

const aDeadline = () => deadlineIn(10_000, new FixedClock());

const fileId = (runId: string, n: number) => `${runId.at(-1)}${n}`.padEnd(43, '_');

/** A tenant with two running runs, and the messages that wait for a worker. */
async function open({ lanes = 3, around = (store: DocumentStore): DocumentStore => store } = {}) {
  const memory = new MemoryDocumentStore();
  const clock = new FixedClock();
  await memory.writeEach([putRun(RUN, aRunningRun(TENANT)), putRun(OTHER_RUN, aRunningRun(TENANT))] as never);
  const waiting: UnitStep[] = [];
  const traces: unknown[] = [];
  let isAway = () => false;
  const dependencies: LaneDependencies = {
    store: around(memory),
    clock,
    transfersTopic: 'transfers',
    tenantConcurrency: lanes,
    publisher: {
      publish: (_topic, event, attributes) => {
        if (isAway()) return Promise.reject(new Error('Pub/Sub is away.'));
        waiting.push(event as UnitStep);
        traces.push(attributes?.traceparent);
        return Promise.resolve();
      },
    },
  };
  return {
    memory,
    clock,
    waiting,
    traces,
    dependencies,
    lanes: () => memory.list(transferLanesPath(TENANT), { limit: 100 }),
    notHandedOut: () => memory.list(waitingUnitsPath(TENANT), { limit: 1_000 }),
    handOut: (units: readonly Unit[]) => handOut(TENANT, units, dependencies),
    end: ({ lane, unitId }: UnitStep) => passOn(TENANT, lane, unitId, dependencies),
    setAway: (away: () => boolean) => (isAway = away),
  };
}

describe('units', () => {
  const files = fc.array(fc.oneof(fc.integer({ min: 0, max: 3_000 }), fc.integer({ min: 0, max: 100_000 })), {
    maxLength: 300,
  });

  it('have each file once, in their order: small ones together, large ones alone (R-375)', () => {
    fc.assert(
      fc.property(files, (sizes) => {
        const listed = sizes.map((size, n) => [fileId(RUN, n), aRunFile({ size })] as const);
        const placed = withUnits(RUN, new Map(listed), 300);
        const units = unitsOf(RUN, aRunningRun(TENANT), placed);
        expect(units.flatMap(({ fileIds }) => fileIds)).toEqual(listed.map(([id]) => id));
        expect([...units].sort((a, b) => (a.unitId < b.unitId ? -1 : 1))).toEqual(units);
        for (const { unitId, fileIds, runId, traceparent } of units) {
          expect([isUnitId(unitId), runId, traceparent]).toEqual([true, RUN, TRACEPARENT]);
          const bytes = fileIds.reduce((sum, id) => sum + placed.get(id)!.size, 0);
          expect(fileIds.length === 1 || bytes <= UNIT_BYTES).toBe(true);
          expect(fileIds.length).toBeLessThanOrEqual(UNIT_FILES);
        }
        const most = units.filter(({ fileIds }, n) => {
          const next = units[n + 1]?.fileIds[0];
          const bytes = [...fileIds, ...(next ? [next] : [])].reduce((sum, id) => sum + placed.get(id)!.size, 0);
          return next !== undefined && fileIds.length < UNIT_FILES && bytes <= UNIT_BYTES;
        });
        expect(most).toEqual([]); // none that the next file fits into
      }),
    );
  });

  it('of packed files have as much to read, and a Parquet file has one alone (R-375)', () => {
    const placed = (sizes: readonly number[], more: Partial<RunFile>) => {
      const listed = sizes.map((size, n) => [fileId(RUN, n), aRunFile({ size, ...more })] as const);
      const units = unitsOf(RUN, aRunningRun(TENANT), withUnits(RUN, new Map(listed), 0));
      return units.map(({ fileIds }) => fileIds.length);
    };
    const [whole, half] = [UNIT_BYTES / PACKED_FILE_FACTOR, UNIT_BYTES / PACKED_FILE_FACTOR / 2];
    const sizes = [half, half, whole, 1];
    expect(placed(sizes, {})).toEqual([4]);
    expect(placed(sizes, { gzip: true })).toEqual([2, 1, 1]);
    expect(placed(sizes, { zip: true })).toEqual([2, 1, 1]);
    expect(placed(sizes, { format: 'avro' })).toEqual([2, 1, 1]);
    expect(placed(sizes, { format: 'parquet' })).toEqual([1, 1, 1, 1]);
  });

  it('with another file beside theirs are other units, as where planning is repeated after an upload (R-375)', () => {
    const listed = Array.from({ length: 3 }, (_, n) => [fileId(RUN, n), aRunFile()] as const);
    const idsOf = (files: typeof listed) =>
      unitsOf(RUN, aRunningRun(TENANT), withUnits(RUN, new Map(files), 0)).map(({ unitId }) => unitId);
    expect(idsOf(listed.slice(0, 2))).not.toEqual(idsOf(listed));
    expect(idsOf(listed)).toEqual(idsOf(listed));
  });

  it('are handed out as a whole when their run is resumed, though their files are on many pages (R-211)', async () => {
    const { memory, dependencies, waiting, notHandedOut } = await open({ lanes: 2 });
    const listed = Array.from({ length: 700 }, (_, n) => {
      const id = createHash('sha256').update(String(n)).digest('base64url');
      return [id, aRunFile({ status: 'pending', size: 10 })] as const;
    });
    const placed = [...withUnits(RUN, new Map(listed), 0)];
    await memory.writeEach(placed.map(([id, file]) => ({ set: runFilePath(RUN, id), data: toFileDocument(file) })));
    const published = await handOutPending(RUN, aRunningRun(TENANT), () => aDeadline(), dependencies);
    expect([published, waiting.length]).toEqual([2, 2]);
    const later = (await notHandedOut()).flatMap(({ data }) => data.fileIds as string[]);
    const handedOut = [...waiting.flatMap(({ fileIds }) => fileIds), ...later];
    expect(handedOut.sort()).toEqual(listed.map(([id]) => id).sort());
  });

  it('of one file each are handed out page by page, and are not collected before (R-211)', async () => {
    const pages: number[] = [];
    const { memory, dependencies, waiting, notHandedOut } = await open({
      lanes: 1,
      around: (store) =>
        overriding(store, {
          list: async (collection, page, deadline) => {
            if (collection === runFilesPath(RUN)) pages.push((await notHandedOut()).length);
            return store.list(collection, page, deadline);
          },
        }),
    });
    const listed = Array.from({ length: 700 }, (_, n) => [fileId(RUN, n), aRunFile({ status: 'pending', size: 2 ** 30 })] as const); // prettier-ignore
    const placed = [...withUnits(RUN, new Map(listed), 0)];
    await memory.writeEach(placed.map(([id, file]) => ({ set: runFilePath(RUN, id), data: toFileDocument(file) })));
    expect(await handOutPending(RUN, aRunningRun(TENANT), () => aDeadline(), dependencies)).toBe(1);
    expect([waiting.length, (await notHandedOut()).length]).toEqual([1, 699]);
    expect(pages).toEqual([0, 299, 599]);
  });

  it('of a file that is being replaced are handed out with its replacement, though no lane is free (R-211)', async () => {
    const { memory, dependencies, notHandedOut } = await open({ lanes: 0 });
    const [id, replacement] = [fileId(RUN, 1), fileId(RUN, 0)];
    const file = withUnits(RUN, new Map([[id, aRunFile({ status: 'pending', replacedBy: replacement })]]), 0).get(id)!;
    const { replacedBy: _, ...next } = file;
    await memory.writeEach([
      { set: runFilePath(RUN, id), data: toFileDocument(file) },
      { set: runFilePath(RUN, replacement), data: toFileDocument(next) },
    ]);
    await handOutPending(RUN, aRunningRun(TENANT), () => aDeadline(), dependencies);
    expect((await notHandedOut()).map(({ data }) => data.fileIds)).toEqual([[replacement, id]]);
  });

  it('of a file that no unit is known of are the file alone (R-375)', () => {
    const units = unitsOf(RUN, aRunningRun(TENANT), [[fileId(RUN, 1), aRunFile()]]);
    expect(units).toMatchObject([{ runId: RUN, fileIds: [fileId(RUN, 1)] }]);
    expect(isUnitId(units[0]!.unitId)).toBe(true);
  });
});

describe('of the units of a tenant', () => {
  it('at most so many are under way, and each that ends hands out the next (R-370)', async () => {
    const tenant = await open();
    const units = aRunsUnits(10);
    await tenant.handOut(units);
    const read: string[] = [];
    for (let step = tenant.waiting.shift(); step; step = tenant.waiting.shift()) {
      expect(tenant.waiting.length).toBeLessThan(3);
      read.push(...step.fileIds);
      await tenant.end(step);
    }
    expect(read.sort()).toEqual(units.flatMap(({ fileIds }) => fileIds).sort());
    expect([await tenant.lanes(), await tenant.notHandedOut()]).toEqual([[], []]);
    expect(new Set(tenant.traces)).toEqual(new Set([TRACEPARENT]));
  });

  it('those that find a lane free are stored once, and those of a run that came later take turns with the others (R-370)', async () => {
    const tenant = await open({ lanes: 1 });
    await tenant.handOut(aRunsUnits(1));
    expect(await tenant.notHandedOut()).toEqual([]);
    await tenant.end(tenant.waiting.shift()!);
    await tenant.handOut(aRunsUnits(8));
    await tenant.handOut(aRunsUnits(2, OTHER_RUN));
    const order: string[] = [];
    for (let step = tenant.waiting.shift(); step; step = tenant.waiting.shift()) {
      order.push(step.runId.at(-1)!);
      await tenant.end(step);
    }
    expect(order.join('')).toBe('ababaaaaaa');
  });

  it('each is read, whatever is lost or comes twice, and however steps meet (R-370, R-371)', async () => {
    const draws = fc.array(fc.integer({ min: 0, max: 2 ** 20 }), { minLength: 400, maxLength: 400 });
    await fc.assert(
      fc.asyncProperty(draws, fc.integer({ min: 1, max: 4 }), async (drawn, lanes) => {
        let position = 0;
        const draw = (below: number) => drawn[(position += 1) % drawn.length]! % below;
        // Each call takes its time, so that steps that are under way at once meet in every way.
        const around = (store: DocumentStore) =>
          withMethods(store, (method, name) => async (...args) => {
            for (let turns = draw(4); turns > 0; turns -= 1) await Promise.resolve();
            const outcome = await method(...args);
            return name === 'commit' && draw(5) === 0 ? method(...args) : outcome; // the answer was lost
          });
        const tenant = await open({ lanes, around });
        tenant.setAway(() => draw(5) === 0);
        const runs = [aRunsUnits(7), aRunsUnits(3, OTHER_RUN)];
        const all = runs.flat().flatMap(({ fileIds }) => fileIds);
        const read = new Set<string>();
        const again = async (work: () => Promise<unknown>): Promise<void> => {
          await work().catch(() => again(work)); // Pub/Sub delivers it again
        };
        const starts = runs.map((units) => () => tenant.handOut(units));
        const work: (() => Promise<unknown>)[] = [];
        for (let idle = 0; idle < 2;) {
          // Later ones are handed out while units of earlier ones end.
          while (starts.length > 0 && (work.length === 0 || draw(3) === 0)) work.push(starts.shift()!);
          for (const step of tenant.waiting.splice(0)) {
            const deliver = () => {
              for (const id of step.fileIds) read.add(id);
              return tenant.end(step);
            };
            work.push(deliver);
            if (draw(6) === 0) work.push(deliver);
          }
          await Promise.all(work.splice(0).map(again));
          expect((await tenant.lanes()).length).toBeLessThanOrEqual(lanes);
          idle = tenant.waiting.length === 0 && starts.length === 0 ? idle + 1 : 0;
        }
        expect(read).toEqual(new Set(all));
        expect([await tenant.lanes(), await tenant.notHandedOut()]).toEqual([[], []]);
      }),
    );
  });

  it('one whose lane was filled by a commit without an answer is published (R-371)', async () => {
    let isLost = false;
    const around = (store: DocumentStore) =>
      withMethods(store, (method, name) => async (...args) => {
        const outcome = await method(...args);
        return name === 'commit' && isLost ? method(...args) : outcome;
      });
    const tenant = await open({ lanes: 1, around });
    const [unit, next] = aRunsUnits(2);
    isLost = true;
    expect(await tenant.handOut([unit!, next!])).toBe(1);
    const [step] = tenant.waiting.splice(0);
    expect(step).toMatchObject({ unitId: unit!.unitId });
    await tenant.end(step!);
    expect(tenant.waiting).toMatchObject([{ unitId: next!.unitId }]);
    tenant.clock.advance(FILE_HOLD_SECONDS * 1000); // its message is not delivered any more
    await tenant.handOut(aRunsUnits(1, OTHER_RUN));
    expect(tenant.waiting).toMatchObject([{ unitId: next!.unitId }, { unitId: next!.unitId }]);
    await tenant.end(tenant.waiting.at(-1)!);
    await tenant.end(tenant.waiting.at(-1)!);
    expect(await tenant.lanes()).toEqual([]);
  });

  it('those that are in a lane are published again when they are handed out again, and no other is (R-371)', async () => {
    const tenant = await open();
    const units = aRunsUnits(5);
    expect(await tenant.handOut(units)).toBe(3);
    const before = tenant.waiting.splice(0);
    expect(await tenant.handOut(units)).toBe(3);
    expect(tenant.waiting).toEqual(before);
    expect(await tenant.notHandedOut()).toHaveLength(2);
  });

  it('one whose message is not delivered any more comes again with the next run (R-371)', async () => {
    const tenant = await open();
    await tenant.handOut(aRunsUnits(1));
    const [lost] = tenant.waiting.splice(0);
    tenant.clock.advance(FILE_HOLD_SECONDS * 1000 - 1);
    await tenant.handOut(aRunsUnits(1, OTHER_RUN));
    expect(tenant.waiting.splice(0)).toMatchObject([{ runId: OTHER_RUN }]);
    tenant.clock.advance(1);
    await tenant.handOut(aRunsUnits(2, OTHER_RUN).slice(1));
    expect(tenant.waiting.splice(0)[0]).toEqual(lost);
    await tenant.handOut(aRunsUnits(1, THIRD_RUN)); // it is held anew
    expect(tenant.waiting).not.toContainEqual(lost);
  });

  it('one that comes again after it has passed its lane on publishes the next one, unless that has begun (R-371)', async () => {
    const tenant = await open({ lanes: 1 });
    const units = aRunsUnits(2);
    await tenant.handOut(units);
    const [first] = tenant.waiting.splice(0);
    await tenant.end(first!);
    const [second] = tenant.waiting.splice(0);
    await tenant.end(first!);
    expect(tenant.waiting.splice(0)).toEqual([second]);
    const path = runFilePath(RUN, second!.fileIds[0]!);
    await tenant.memory.commit([{ set: path, data: toFileDocument(aRunFile({ status: 'pending' })) }]);
    await tenant.end(first!);
    expect(tenant.waiting).toEqual([]);
  });

  it('those of a run that has ended leave their lanes to those that wait, though nobody reads them (R-371)', async () => {
    const tenant = await open();
    await tenant.handOut(aRunsUnits(3));
    tenant.waiting.splice(0);
    const ended = { ...aRunningRun(TENANT), status: 'cancelled' as const };
    await tenant.memory.commit([putRun(RUN, ended)]);
    await tenant.handOut(aRunsUnits(4, OTHER_RUN));
    expect(tenant.waiting.map(({ runId }) => runId)).toEqual([OTHER_RUN, OTHER_RUN, OTHER_RUN]);
    await tenant.memory.commit([{ delete: runPath(OTHER_RUN) }]); // one that is gone has ended, too
    await tenant.handOut(aRunsUnits(1));
    expect(tenant.waiting.slice(3).map(({ runId }) => runId)).toEqual([RUN, OTHER_RUN]);
  });

  it.each([
    ['handing out is repeated', publishFilled],
    [
      'its run is resumed',
      (_: string, runId: string, dependencies: LaneDependencies) =>
        handOutPending(runId, aRunningRun(TENANT), aDeadline, dependencies),
    ],
  ])('one of another run whose lane a crash left without a message is published when %s (R-371)', async (_, again) => {
    const tenant = await open({ lanes: 1 });
    await tenant.memory.commit([putRun(THIRD_RUN, aRunningRun(TENANT))]);
    await tenant.handOut(aRunsUnits(1, THIRD_RUN));
    await tenant.handOut(aRunsUnits(1));
    await tenant.memory.commit([putRun(THIRD_RUN, { ...aRunningRun(TENANT), status: 'cancelled' })]);
    tenant.waiting.splice(0);
    tenant.setAway(() => true);
    await expect(tenant.handOut(aRunsUnits(1, OTHER_RUN))).rejects.toThrow('Pub/Sub is away.');
    expect(await tenant.lanes()).toMatchObject([{ data: { runId: RUN } }]);
    tenant.setAway(() => false);
    const publish = (runId: string) => again(TENANT, runId, tenant.dependencies);
    await publish(RUN);
    expect(tenant.waiting).toEqual([]); // it was not this run that filled the lane
    await publish(OTHER_RUN); // though the other run may have nothing left to hand out
    const [step] = tenant.waiting.splice(0);
    expect(step).toMatchObject({ runId: RUN });
    const path = runFilePath(RUN, step!.fileIds[0]!);
    await tenant.memory.commit([{ set: path, data: toFileDocument(aRunFile({ status: 'pending' })) }]);
    await publish(OTHER_RUN);
    expect(tenant.waiting).toEqual([]); // it has begun
  });

  it('one that is in two lanes leaves that of the step which another worker has overtaken (R-371)', async () => {
    const tenant = await open({ lanes: 2 });
    const [unit, next] = aRunsUnits(2);
    await tenant.handOut([unit!]);
    const [step] = tenant.waiting.splice(0);
    await leaveDoubled(TENANT, step!, tenant.dependencies);
    expect(await tenant.lanes()).toHaveLength(1); // it is in this lane alone, which its other worker passes on
    const [stored] = await tenant.lanes();
    await tenant.memory.commit([{ set: transferLanePath(TENANT, 1), data: stored!.data }]);
    await tenant.handOut([next!]);
    await leaveDoubled(TENANT, step!, tenant.dependencies);
    expect(tenant.waiting).toMatchObject([{ lane: 0, unitId: next!.unitId }]);
    expect((await tenant.lanes()).map(({ data }) => data.unitId)).toEqual([next!.unitId, unit!.unitId]);
  });

  it('one that is put back waits, and its lane is free: nothing reads it until it is handed out again (R-371)', async () => {
    const tenant = await open({ lanes: 1 });
    const units = aRunsUnits(1);
    await tenant.handOut(units);
    const [step] = tenant.waiting.splice(0);
    for (const _ of [1, 2]) await putBack(TENANT, step!, tenant.dependencies);
    expect([await tenant.lanes(), (await tenant.notHandedOut()).length, tenant.waiting]).toEqual([[], 1, []]);
    await tenant.handOut(units);
    expect([tenant.waiting, await tenant.notHandedOut()]).toEqual([[step], []]);
  });

  it('fewer are under way once the setting is lower (R-370)', async () => {
    const tenant = await open({ lanes: 4 });
    await tenant.handOut(aRunsUnits(8));
    const fewer = { ...tenant.dependencies, tenantConcurrency: 2 };
    const before = tenant.waiting.splice(0);
    for (const { lane, unitId } of before) await passOn(TENANT, lane, unitId, fewer);
    expect(tenant.waiting.map(({ lane }) => lane)).toEqual([0, 1]);
    expect(await tenant.memory.get(transferLanePath(TENANT, 3))).toBeUndefined();
  });
});
