/** Histories that once ended otherwise than the model allowed, and what the model allows near them. */
import * as fc from 'fast-check';
import { historyOf } from './histories/commands';
import { endsRight } from './histories/in-memory';
import { Model } from './histories/model';
import { SERVICE } from './histories/protocol';
import type { Sent, SentCustomer, Work } from './histories/work';

const EMAIL = 'a@x.com';
const CALLS = 20;

function customers(...records: readonly SentCustomer[]): Sent {
  return { kind: 'customers', records };
}

const MOMENTS = ['before', 'after'] as const;

/**
 * A worker dies at each of its first calls in turn, while it reads a file. Two others come before that is read again.
 * @param asOld exactly as old as the file
 * @param older as old as what was done first
 */
async function endsRightWhereverItDies(
  when: (typeof MOMENTS)[number],
  first: Work,
  interrupted: Sent,
  asOld: Sent,
  older: Sent,
): Promise<void> {
  for (let call = 1; call <= CALLS; call += 1) {
    const history = historyOf(
      [first],
      [
        { do: 'file', sent: interrupted, age: 0 },
        { crash: { call, when }, skewMs: 0 },
      ],
      [{ do: 'file', sent: asOld, age: 1 }],
      [{ do: 'file', sent: older, age: 3 }],
    );
    await fc.assert(endsRight(fc.constant(history), SERVICE), { numRuns: 20, seed: call });
  }
}

/** Who is stored before. */
const STORED = customers({ Email: EMAIL, CustomerId: '5' });
/** A worker dies between the tombstone of the row, which says that the row has deleted by the e-mail, and the row. */
const INTERRUPTED = customers({ Email: EMAIL, CustomerId: '2', deletes: true });
/** Comes before that file is read again. If the row was not stored, it deletes the customer by the other identifier. */
const MEETING = customers({ Email: 'b@x.com', CustomerId: '5', deletes: true }, { CustomerId: '2' });
/** As old as who was stored before. It is stale where nobody had the other identifier. */
const OLDER = customers({ Email: 'b@x.com' });

describe('rows of exactly the time of a file that was interrupted between tombstones and rows (R-28)', () => {
  it.each(MOMENTS)('end in a state that the model allows (a worker dies %s a call)', (when) =>
    endsRightWhereverItDies(when, { do: 'file', sent: STORED, age: 0 }, INTERRUPTED, MEETING, OLDER),
  );

  const SPARED = '[["CustomerId","2"],["EmailOptin",false]]';
  const LAST = '[["Email","b@x.com"],["EmailOptin",false]]';

  interface Course {
    readonly isInterrupted: boolean;
    /** When the other file was written, 1 or 2; the one that may be interrupted was written at 1. */
    readonly meetingAt?: number;
    /** Whether tombstones may be there without their rows. */
    readonly hasAhead?: boolean;
  }

  function possibleAfter({ isInterrupted, meetingAt = 1, hasAhead = true }: Course): string[] {
    const model = new Model('email');
    const moments = [model.moment(), model.moment(), model.moment()] as const;
    model.happened(model.effectsOfFile({ number: 2, sent: STORED, at: moments[0] }));
    const interrupted = { number: 0, sent: INTERRUPTED, at: moments[1] };
    const rows = model.effectsOfFile(interrupted);
    const ahead = hasAhead ? [model.effectsAhead(interrupted, 0)] : [];
    if (isInterrupted) model.happened([], ...rows.map((_, last) => rows.slice(0, last + 1)), ...ahead);
    else model.happened(rows);
    model.happened(model.effectsOfFile({ number: 1, sent: MEETING, at: moments[meetingAt]! }));
    model.happened(model.effectsOfFile({ number: 3, sent: OLDER, at: moments[0] }));
    model.happened(rows);
    return [...new Set(model.possible())].sort();
  }

  it('may be spared by a row that deletes, or not', () => {
    const possible = possibleAfter({ isInterrupted: true });
    expect(possible).toContain(`${SPARED}\n${LAST}`);
    expect(possible).toContain(LAST);
    expect(possibleAfter({ isInterrupted: true, hasAhead: false })).not.toContain(`${SPARED}\n${LAST}`);
  });

  it('have one end where nothing was interrupted', () => {
    expect(possibleAfter({ isInterrupted: false })).toHaveLength(1);
  });

  it('have no more ends where they are newer', () => {
    const course = { isInterrupted: true, meetingAt: 2 };
    expect(possibleAfter(course)).toEqual(possibleAfter({ ...course, hasAhead: false }));
  });
});

describe('a file that was interrupted after its row has found nobody (R-28)', () => {
  const ROW = customers({ Email: EMAIL, CustomerId: '5', deletes: true });
  /** Has exactly the time of the row, and comes before that file is read again. */
  const AS_OLD = customers({ Email: EMAIL });
  /** Comes then, too, and is older than the row. */
  const OLDER_THAN_ROW = customers({ CustomerId: '5' });

  it.each(MOMENTS)('ends in a state that the model allows (a worker dies %s a call)', (when) =>
    endsRightWhereverItDies(
      when,
      { do: 'deleteCustomer', email: 'b@x.com', customerId: null },
      ROW,
      AS_OLD,
      OLDER_THAN_ROW,
    ),
  );

  const BY_EMAIL = '[["Email","a@x.com"],["EmailOptin",false]]';
  const BY_ID = '[["CustomerId","5"],["EmailOptin",false]]';

  /** @param at when the file with the customer of the row was written: 1, as that of the row, or 2 */
  function possibleAfter(at: 1 | 2, isInterrupted = true): string[] {
    const model = new Model('email');
    const moments = [model.moment(), model.moment(), model.moment()] as const;
    const interrupted = { number: 0, sent: ROW, at: moments[1] };
    const rows = model.effectsOfFile(interrupted);
    model.happened(...(isInterrupted ? [[], model.effectsAhead(interrupted, 0)] : []), rows);
    model.happened(model.effectsOfFile({ number: 1, sent: AS_OLD, at: moments[at] }));
    model.happened(model.effectsOfFile({ number: 2, sent: OLDER_THAN_ROW, at: moments[0] }));
    model.happened(rows);
    return [...new Set(model.possible())].sort();
  }

  it('may end with either customer, or with none', () => {
    expect(possibleAfter(1)).toEqual(['', BY_ID, BY_EMAIL]);
  });

  it('may end with both where the customer of the row is newer: the row then does nothing', () => {
    expect(possibleAfter(2)).toEqual([`${BY_ID}\n${BY_EMAIL}`, BY_EMAIL]);
  });

  it('has one end where nothing was interrupted', () => {
    expect(possibleAfter(1, false)).toEqual([BY_EMAIL]);
  });
});
