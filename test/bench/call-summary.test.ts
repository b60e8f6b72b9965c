import type { FirestoreCall } from './call-summary';
import { busyMs, summarizeCalls } from './call-summary';

function call(startMs: number, endMs: number, more: Partial<FirestoreCall> = {}): FirestoreCall {
  const nothing = { method: 'Commit', bytes: 0, reads: 0, writes: 0, deletes: 0, refused: 0, writesRecords: false };
  return { ...nothing, written: [], status: 0, startMs, endMs, ...more };
}

describe('summarizeCalls', () => {
  it('counts calls that run side by side as one round trip', () => {
    expect(summarizeCalls([call(0, 10), call(1, 11), call(2, 9)]).roundTrips).toBe(1);
  });

  it('counts calls that wait for one another, however many others run beside them', () => {
    const calls = [call(0, 10), call(10, 20), call(21, 30), call(0, 30), call(5, 25)];
    expect(summarizeCalls(calls).roundTrips).toBe(3);
  });

  it('counts what had ended before the first record was written', () => {
    const calls = [call(0, 10, { writes: 1 }), call(11, 20), call(20, 30, { writesRecords: true }), call(31, 40)];
    expect(summarizeCalls(calls)).toMatchObject({ roundTrips: 4, roundTripsBeforeFirstWrite: 2 });
  });

  it('adds up what is billed', () => {
    const calls = [call(0, 1, { reads: 2, bytes: 10 }), call(0, 1, { writes: 3, deletes: 1, refused: 4, bytes: 5 })];
    expect(summarizeCalls(calls)).toMatchObject({ calls: 2, reads: 2, writes: 3, deletes: 1, refused: 4, bytes: 15 });
  });

  it('finds no round trip in no calls', () => {
    expect(summarizeCalls([])).toMatchObject({ calls: 0, roundTrips: 0, roundTripsBeforeFirstWrite: 0 });
  });
});

describe('busyMs', () => {
  it('counts calls that run side by side once, and no time between calls', () => {
    expect(busyMs([call(20, 30), call(0, 10), call(5, 12), call(6, 8)])).toBe(22);
  });

  it('finds no time in no calls', () => {
    expect(busyMs([])).toBe(0);
  });
});
