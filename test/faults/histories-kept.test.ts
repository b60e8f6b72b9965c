/** Histories that once ended otherwise than the model allowed, and what the model allows near them. */
import * as fc from 'fast-check';
import { historyOf } from './histories/commands';
import { endsRight } from './histories/in-memory';
import { Model } from './histories/model';
import { SERVICE } from './histories/protocol';
import type { Sent, SentCustomer } from './histories/work';

const EMAIL = 'a@x.com';
const CALLS = 20;

function customers(...records: readonly SentCustomer[]): Sent {
  return { kind: 'customers', records };
}

/** A worker dies between the tombstones of the first two rows and the rows themselves. */
const INTERRUPTED = customers(
  { CustomerId: '1', deletes: true },
  { Email: EMAIL, CustomerId: '2', deletes: true },
  { Email: EMAIL },
);
/** Comes before that file is read again. The row that deletes 1 then deletes the email, too. */
const MEETING = customers({ CustomerId: '2' }, { Email: EMAIL, CustomerId: '1' });

describe('rows of exactly the time of a file that was interrupted between tombstones and rows (R-28)', () => {
  it.each(['before', 'after'] as const)(
    'end in a state that the model allows (a worker dies %s a call)',
    async (when) => {
      for (let call = 1; call <= CALLS; call += 1) {
        const history = historyOf(
          [
            { do: 'file', sent: INTERRUPTED, age: 0 },
            { crash: { call, when }, skewMs: 0 },
          ],
          [{ do: 'file', sent: MEETING, age: 1 }],
        );
        await fc.assert(endsRight(fc.constant(history), SERVICE), { numRuns: 20, seed: call });
      }
    },
  );

  const SPARED = '[["CustomerId","2"],["EmailOptin",false]]';
  const LAST = '[["Email","a@x.com"],["EmailOptin",false]]';

  interface Course {
    readonly isInterrupted: boolean;
    /** When the other file was written, from 0 to 2; the one that may be interrupted was written at 1. */
    readonly meetingAt?: number;
    /** Whether tombstones may be there without their rows. */
    readonly hasAhead?: boolean;
  }

  function possibleAfter({ isInterrupted, meetingAt = 1, hasAhead = true }: Course): string[] {
    const model = new Model('email');
    const moments = [model.moment(), model.moment(), model.moment()] as const;
    const interrupted = { number: 0, sent: INTERRUPTED, at: moments[1] };
    const rows = model.effectsOfFile(interrupted);
    const ahead = hasAhead ? [model.effectsAhead(interrupted, 0)] : [];
    if (isInterrupted) model.happened([], ...rows.map((_, last) => rows.slice(0, last + 1)), ...ahead);
    else model.happened(rows);
    model.happened(model.effectsOfFile({ number: 1, sent: MEETING, at: moments[meetingAt]! }));
    model.happened(rows);
    return [...new Set(model.possible())].sort();
  }

  it('may be spared by a row that deletes, or not', () => {
    const possible = possibleAfter({ isInterrupted: true });
    expect(possible).toContain(`${SPARED}\n${LAST}`);
    expect(possible).toContain(LAST);
    expect(possibleAfter({ isInterrupted: true, hasAhead: false })).not.toContain(LAST);
  });

  it('have one end where nothing was interrupted', () => {
    expect(possibleAfter({ isInterrupted: false })).toHaveLength(1);
  });

  it.each([{ meetingAt: 0 }, { meetingAt: 2 }])('have no more ends where their time differs: %j', (times) => {
    const course = { isInterrupted: true, ...times };
    expect(possibleAfter(course)).toEqual(possibleAfter({ ...course, hasAhead: false }));
  });
});
