/** What a request asked of Firestore, from its calls as the counting proxy saw them. */

/** One call, on one clock. */
export interface FirestoreCall {
  /** `Commit`, `RunQuery` … */
  readonly method: string;
  readonly startMs: number;
  readonly endMs: number;
  /** Of the messages, without HTTP/2's own. */
  readonly bytes: number;
  /** Documents that Firestore bills as read; a query or a missing document is at least one. */
  readonly reads: number;
  /** Writes that were applied. */
  readonly writes: number;
  readonly deletes: number;
  /** Writes whose condition did not hold. */
  readonly refused: number;
  /** It writes records of a tenant, not only a counter. */
  readonly writesRecords: boolean;
  /** Paths of the documents that were written or removed, as often as each was. */
  readonly written: readonly string[];
  /** Of gRPC: 0 when it succeeded. */
  readonly status: number;
}

/** What Firestore bills of a call, and which documents it is for. */
export type CallDetails = Pick<FirestoreCall, 'reads' | 'writes' | 'deletes' | 'refused' | 'writesRecords' | 'written'>;

export interface CallSummary {
  readonly calls: number;
  /** The longest chain of calls of which each began after the one before had ended. */
  readonly roundTrips: number;
  readonly roundTripsBeforeFirstWrite: number;
  readonly bytes: number;
  readonly reads: number;
  readonly writes: number;
  readonly deletes: number;
  readonly refused: number;
}

export function summarizeCalls(calls: readonly FirestoreCall[]): CallSummary {
  const firstWriteMs = Math.min(...calls.filter((call) => call.writesRecords).map(({ startMs }) => startMs));
  const sum = (value: (call: FirestoreCall) => number) => calls.reduce((total, call) => total + value(call), 0);
  return {
    calls: calls.length,
    roundTrips: chainLength(calls),
    roundTripsBeforeFirstWrite: chainLength(calls.filter(({ endMs }) => endMs <= firstWriteMs)),
    bytes: sum(({ bytes }) => bytes),
    reads: sum(({ reads }) => reads),
    writes: sum(({ writes }) => writes),
    deletes: sum(({ deletes }) => deletes),
    refused: sum(({ refused }) => refused),
  };
}

/** How long one call at least was under way, in milliseconds: calls side by side count once. */
export function busyMs(calls: readonly Pick<FirestoreCall, 'startMs' | 'endMs'>[]): number {
  let busy = 0;
  let lastEndMs = -Infinity;
  for (const { startMs, endMs } of [...calls].sort((a, b) => a.startMs - b.startMs)) {
    busy += Math.max(0, endMs - Math.max(startMs, lastEndMs));
    lastEndMs = Math.max(lastEndMs, endMs);
  }
  return busy;
}

/** Taking whichever ends first gives the longest chain of calls that do not overlap. */
function chainLength(calls: readonly FirestoreCall[]): number {
  let length = 0;
  let lastEndMs = -Infinity;
  for (const { startMs, endMs } of [...calls].sort((a, b) => a.endMs - b.endMs)) {
    if (startMs < lastEndMs) continue;
    length += 1;
    lastEndMs = endMs;
  }
  return length;
}
