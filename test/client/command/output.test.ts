/** Progress, tables and what a terminal must not obey. */
import { PassThrough } from 'node:stream';
import { toDuration, toJson, toSafeText, toTable } from '../../../client/src/command/output/format';
import { Terminal } from '../../../client/src/command/output/terminal';
import { progressLine } from '../../../client/src/command/push/progress-line';
import { FixedClock } from '../../support/fixed-clock';

const FACTS = {
  counts: { stored: 40_000, deleted: 4_000, rejected: 3_000 },
  rowsBefore: 0,
  share: 0.47,
  shareBefore: 0,
  seconds: 10,
  hasBar: true,
};

describe('the line of progress', () => {
  it('has a bar, rows, rows a second, the time left and rejected rows', () => {
    expect(progressLine(FACTS)).toBe('[=====>      ]  47 %  47,000 rows  4,700 rows/s  0:11 left  3,000 rejected');
  });

  it('counts the speed of a continued push from where it went on', () => {
    const line = progressLine({ ...FACTS, rowsBefore: 27_000, shareBefore: 0.27, hasBar: false });
    expect(line).toBe('47 %  47,000 rows  2,000 rows/s  0:27 left  3,000 rejected');
  });

  it('tells no share of a stream', () => {
    const counts = { stored: 1, deleted: 0, rejected: 0 };
    expect(progressLine({ ...FACTS, counts, share: undefined })).toBe('1 row  0 rows/s');
  });

  it.each([
    [0, '[>           ]   0 %'],
    [1, '[============] 100 %'],
  ])('at %d', (share, bar) => {
    expect(progressLine({ ...FACTS, share })).toContain(bar);
  });
});

describe('a terminal', () => {
  function terminal(isTTY: boolean) {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    for (const stream of [stdout, stderr]) Object.assign(stream, { isTTY, columns: 20 });
    const clock = new FixedClock();
    const printed = () => String(stderr.read() ?? '');
    return { terminal: new Terminal({ stdout, stderr, env: {}, clock }), clock, printed };
  }

  it('shows one line of progress, which others replace', () => {
    const { terminal: one, clock, printed } = terminal(true);
    one.showProgress(() => 'first');
    one.showProgress(() => 'too early');
    clock.advance(200);
    one.showProgress(() => 'a line that is longer than the terminal is wide');
    one.say('Done.');
    expect(printed()).toBe('\r\u001b[Kfirst\r\u001b[Ka line that is long\r\u001b[KDone.\n');
  });

  it('elsewhere gets a plain line in five seconds', () => {
    const { terminal: one, clock, printed } = terminal(false);
    one.showProgress(() => 'at once');
    clock.advance(5_000);
    one.showProgress(() => 'first');
    clock.advance(4_999);
    one.showProgress(() => 'too early');
    clock.advance(1);
    one.showProgress(() => 'second');
    expect(printed()).toBe('first\nsecond\n');
  });
});

it('aligns the columns of a table, numbers to the right', () => {
  const table = toTable(
    ['RUN', 'ROWS'],
    [
      ['a', 1_234],
      ['long', null],
    ],
  );
  expect(table).toBe('RUN    ROWS\na     1,234\nlong      -\n');
});

it('shows characters that a terminal obeys as escape sequences, in JSON so that it parses to the same', () => {
  const text = '\u001b[31m\u009b\u202e';
  expect(toSafeText(text)).toBe('\\u001b[31m\\u009b\\u202e');
  expect(toTable(['\u0007'], [[text]])).not.toContain('\u001b');
  expect(toJson({ text })).toBe('{"text":"\\u001b[31m\\u009b\\u202e"}');
  expect(JSON.parse(toJson({ text }))).toEqual({ text });
});

it.each([
  [0.4, '0:00'],
  [62, '1:02'],
  [3_723, '1:02:03'],
])('writes %d seconds as %s', (seconds, text) => expect(toDuration(seconds)).toBe(text));
