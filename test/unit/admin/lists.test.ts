/** How lists are printed: JSON lines where they pipe, tables on a terminal. */
import * as fc from 'fast-check';
import { Writable } from 'node:stream';
import { printResult } from '../../../functions/admin/print-result';
import type { Columns, Elements, Result } from '../../../functions/admin/printing';
import { Progress } from '../../../functions/admin/progress';
import { cut, widthOf } from '../../../functions/admin/text-width';
import { FixedClock } from '../../support/fixed-clock';

interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly hasColors?: () => boolean;
}

const PIPE: Screen = {};
const terminal = (columns: number): Screen => ({ isTTY: true, columns, hasColors: () => false });

/** What a result prints on stdout. @param written gets it piece by piece */
async function printed(result: Result, screen: Screen, written: string[] = []): Promise<string> {
  const write = (chunk: Buffer, _encoding: string, done: () => void) => {
    written.push(chunk.toString());
    done();
  };
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  await printResult(result, Object.assign(new Writable({ write }), screen), new Progress(silent, new FixedClock()));
  return written.join('');
}

const linesOf = async (list: Elements, columns: Columns, screen: Screen) =>
  (await printed({ list, columns }, screen)).split('\n').slice(0, -1);

/** A list that comes one element at a time, so that nobody knows what is still to come. */
async function* streamed(elements: readonly object[]) {
  for (const element of elements) yield await Promise.resolve(element);
}

const RUNS = [
  { runId: '20260301-a', status: 'succeeded', rows: { read: 12_345, invalid: 0 }, error: null },
  { runId: '20260301-bcd', status: 'failed', rows: { read: 7, invalid: 12 }, error: 'No access to the bucket.' },
  { runId: '20260301-e', status: 'running', rows: null, error: null },
];
const COLUMNS = ['runId', 'status', 'rows.read', 'error'];

describe('where it pipes', () => {
  it('each element of a list is one line of JSON, with all its fields (R-193)', async () => {
    const lines = await linesOf(RUNS, COLUMNS, PIPE);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(RUNS);
    expect(await linesOf([], COLUMNS, PIPE)).toEqual([]);
  });

  it('the width of a terminal and its colours change nothing', async () => {
    const screen = { ...terminal(20), isTTY: false, hasColors: () => true };
    expect(await linesOf(RUNS, COLUMNS, screen)).toEqual(await linesOf(RUNS, COLUMNS, PIPE));
  });
});

describe('on a terminal', () => {
  it('a list is a table: numbers to the right, - for what is absent (R-193)', async () => {
    expect(await linesOf(RUNS, COLUMNS, terminal(80))).toEqual([
      'runId         status     rows.read  error',
      '20260301-a    succeeded      12345  -',
      '20260301-bcd  failed             7  No access to the bucket.',
      '20260301-e    running            -  -',
    ]);
  });

  it('columns give way from the last one on where the terminal is narrow, and ids in the first one stay whole', async () => {
    expect(await linesOf(RUNS, COLUMNS, terminal(50))).toEqual([
      'runId         status     rows.read  error',
      '20260301-a    succeeded      12345  -',
      '20260301-bcd  failed             7  No access to …',
      '20260301-e    running            -  -',
    ]);
    expect((await linesOf(RUNS, COLUMNS, terminal(36)))[2]).toBe('20260301-bcd  failed             7');
    expect((await linesOf(RUNS, COLUMNS, terminal(13)))[2]).toBe('20260301-bcd');
    expect((await linesOf(RUNS, COLUMNS, terminal(10)))[2]).toBe('20260301-…');
  });

  it('columns without a value are left out before others, so that what has one is seen (R-193)', async () => {
    const elements = [{ id: 'a-long-name', first: null, list: [], second: 7, third: 'x' }];
    const columns = ['id', 'first', 'list', 'second', 'third'];
    expect(await linesOf(elements, columns, terminal(40))).toEqual([
      'id           first  list  second  third',
      'a-long-name  -      -          7  x',
    ]);
    expect((await linesOf(elements, columns, terminal(38)))[1]).toBe('a-long-name  -           7  x');
    expect((await linesOf(elements, columns, terminal(30)))[1]).toBe('a-long-name       7  x');
    expect((await linesOf(elements, columns, terminal(20)))[1]).toBe('a-long-name       7');
  });

  describe('a value of a late row', () => {
    const elements = Array.from({ length: 300 }, (_, n) => ({
      id: 'a-long-name',
      name: 'a name',
      since: n === 250 ? '2026-03-01' : null,
      by: n === 251 ? 'somebody' : null,
    }));
    const columns = ['id', 'none', 'name', 'since', 'by'];

    it('keeps its column where the whole list is at hand (R-193)', async () => {
      const lines = await linesOf(elements, columns, terminal(41));
      expect([lines[0], lines[251], lines[252]]).toEqual([
        'id           name    since       by',
        'a-long-name  a name  2026-03-01  -',
        'a-long-name  a name  -           somebody',
      ]);
    });

    it('keeps it where the list comes one at a time: no column is left out for being empty so far (R-193)', async () => {
      const lines = await linesOf(streamed(elements), columns, terminal(32));
      expect([lines[0], lines[251]]).toEqual(['id           none  name    since', 'a-long-name  -     a name  2026…']);
      const short = await linesOf(streamed(elements.slice(0, 200)), columns, terminal(20));
      expect(short[0]).toBe('id           name');
    });

    it('is not waited for: the first rows are shown while the others are still to come', async () => {
      const written: string[] = [];
      async function* waiting() {
        yield* streamed(elements.slice(0, 201));
        expect(written.length).toBeGreaterThan(200);
        yield* streamed(elements.slice(201));
      }
      await printed({ list: waiting(), columns }, terminal(80), written);
      expect(written).toHaveLength(301);
    });
  });

  it('columns of a group are all shown whole, or none of them (R-193)', async () => {
    const elements = [
      { id: 'a-name', error: 'a long text of what is wrong', sum: 12_345_678_901, a: 1, b: null, c: 7 },
    ];
    const columns = ['id', 'error', ['sum', 'a', { field: 'b', title: 'second' }], 'c'];
    expect(await linesOf(elements, columns, terminal(48))).toEqual([
      'id      error                  sum  a  second  c',
      'a-name  a long text …  12345678901  1  -       7',
    ]);
    expect((await linesOf(elements, columns, terminal(42)))[1]).toBe('a-name  a long te…  12345678901  1  -');
    const withoutGroup = ['id      error                         c', 'a-name  a long text of what is wrong  7'];
    expect(await linesOf(elements, columns, terminal(41))).toEqual(withoutGroup);
    const uncounted = [{ ...elements[0], sum: null, a: null }];
    expect((await linesOf(uncounted, columns, terminal(37)))[0]).toBe('id      error       sum  a  second  c');
    expect((await linesOf(uncounted, columns, terminal(36)))[0]).toBe('id      error                      c');
  });

  it('a number of a group is never cut, also where it is longer than those of the rows before (R-193)', async () => {
    const elements = Array.from({ length: 250 }, (_, n) => ({ id: n, sum: n === 249 ? 1_234_567 : 1, text: 'a text' }));
    const lines = await linesOf(streamed(elements), ['id', ['sum'], 'text'], terminal(80));
    expect(lines.slice(-2)).toEqual(['248    1  a text', '249  1234567  a text']);
  });

  it('a column may have a title of its own', async () => {
    const columns = ['runId', { field: 'rows.read', title: 'read' }, 'status'];
    const [header, row] = (await printed({ list: RUNS, columns }, terminal(80))).split('\n');
    expect(header).toBe('runId          read  status');
    expect(row).toBe('20260301-a    12345  succeeded');
  });

  it('lists are joined, and objects are JSON', async () => {
    const elements = [{ folders: ['a/', 'b/'], messages: { Email: ['Wrong.'] } }];
    expect((await linesOf(elements, ['folders', 'messages'], terminal(80)))[1]).toBe('a/, b/   {"Email":["Wrong."]}');
  });

  it('times are as in JSON, without quotes', async () => {
    const time = '2026-03-01T12:00:00.000Z';
    expect((await linesOf([{ at: new Date(time) }], ['at'], terminal(80)))[1]).toBe(time);
  });

  it('what was found before an error is shown, as where it pipes', async () => {
    // eslint-disable-next-line @typescript-eslint/require-await
    async function* failing() {
      yield* RUNS;
      throw new Error('There it ended.');
    }
    for (const screen of [terminal(80), PIPE]) {
      const written: string[] = [];
      const print = printed({ list: failing(), columns: COLUMNS }, screen, written);
      await expect(print).rejects.toThrow('There it ended.');
      for (const { runId } of RUNS) expect(written.join('')).toContain(runId);
    }
  });

  it('an empty list has its header alone', async () => {
    expect(await linesOf([], ['a', 'b'], terminal(80))).toEqual(['a  b']);
  });

  it('rows beyond those that are measured keep the columns, and are cut, where the list comes one at a time', async () => {
    const elements = Array.from({ length: 250 }, (_, n) => ({ id: n, text: n === 249 ? 'much longer text' : 'short' }));
    const lines = await linesOf(streamed(elements), ['id', 'text'], terminal(80));
    expect(lines).toHaveLength(251);
    expect(lines[250]).toBe('249  much…');
  });

  it('colours are only where the terminal shows them, and its user wants them', async () => {
    const plain = await printed({ list: RUNS, columns: COLUMNS }, terminal(80));
    expect(plain).not.toContain('\u001b');
    const coloured = await printed({ list: RUNS, columns: COLUMNS }, { ...terminal(80), hasColors: () => true });
    expect(coloured).toContain('\u001b[31mfailed   \u001b[0m');
    expect(coloured.replace(/\u001b\[\d+m/g, '')).toBe(plain);
  });

  it('no text of a tenant commands the terminal, or is wider than it, whatever it holds', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 60 });
    const row = fc.record({
      a: text,
      b: fc.oneof(text, fc.integer(), fc.constant(null)),
      c: fc.array(text, { maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 5 }), fc.integer({ min: 10, max: 100 }), async (rows, width) => {
        const table = await linesOf(rows, ['a', 'b', 'c'], terminal(width));
        expect(table).toHaveLength(rows.length + 1);
        for (const line of table) {
          expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
          expect(widthOf(line)).toBeLessThanOrEqual(width);
        }
      }),
    );
  });
});

describe('the width of a text', () => {
  it.each([
    ['tea', 3],
    ['Zoë', 3],
    ['Zoe\u0308', 3],
    ['茶', 2],
    ['한국', 4],
    ['🍵', 2],
    ['👩‍👩‍👧', 2],
  ])('%s takes %i columns', (text, width) => {
    expect(widthOf(text)).toBe(width);
  });

  it.each([
    ['a short text', 12, 'a short text'],
    ['a longer text', 12, 'a longer te…'],
    ['茶茶茶', 5, '茶茶…'],
    ['茶茶茶', 6, '茶茶茶'],
    ['Zoë', 3, 'Zoë'],
  ])('%s cut to %i columns is %s', (text, width, shown) => {
    expect(cut(text, width)).toBe(shown);
  });
});

it('a document, and lines that are no list, are printed the same on a terminal', async () => {
  for (const screen of [PIPE, terminal(20)]) {
    expect(await printed({ document: { a: 1 } }, screen)).toBe('{\n  "a": 1\n}\n');
    const lines = (async function* () {
      yield await Promise.resolve({ a: 1 });
    })();
    expect(await printed({ lines }, screen)).toBe('{"a":1}\n');
  }
});
