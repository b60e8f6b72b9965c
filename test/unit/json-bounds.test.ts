import { MAX_BODY_DEPTH, MAX_BODY_VALUES, MAX_OBJECT_MEMBERS } from '../../shared/domain/limits';
import { JsonScan, parseJson } from '../../shared/platform/json-bounds';

const BOUNDS = { depth: 5, values: 1_000, members: 5 };

/** Texts with all that a scan has to tell apart, also where a piece ends in the middle of it. */
const TEXTS = [
  '[{"a":"x","b":[1,2,{"c":null}]},"y"]',
  String.raw`["\"","\\","\\\"",",[{",{"\\":"\"]}","\u00e9":","}]`,
  '["🍵,",",é"]',
  '["is not closed, [[[[[[[[',
  '["ends in an escape \\',
  '[[[[[["too deep"]]]]]]',
  '[{"a":1,"b":2,"c":3,"d":4,"e":"x,y","f":6}]',
];

/** What a scan finds that goes on every so many bytes. */
function scanned(text: string, bytesAtOnce: number) {
  const bytes = Buffer.from(text);
  const scan = new JsonScan(bytes, BOUNDS);
  for (let end = bytesAtOnce; !scan.isDone; end += bytesAtOnce) scan.run(end);
  const { values, problem } = scan;
  return { values, problem };
}

describe('looking at a JSON text in pieces', () => {
  it.each(TEXTS)('finds what looking at all of it at once finds: %s', (text) => {
    const expected = scanned(text, Infinity);
    for (let bytesAtOnce = 1; bytesAtOnce <= text.length; bytesAtOnce += 1) {
      expect(scanned(text, bytesAtOnce)).toEqual(expected);
    }
  });

  it('counts values outside of texts only, and finds what exceeds a bound', () => {
    expect(TEXTS.map((text) => scanned(text, 3))).toMatchObject([
      { values: 9, problem: undefined },
      { values: 8, problem: undefined },
      { values: 3, problem: undefined },
      { values: 2, problem: undefined },
      { values: 2, problem: undefined },
      { problem: 'depth' },
      { problem: 'members' },
    ]);
  });

  it('stays in a text that is longer than a piece', () => {
    const bytes = Buffer.from(`["${'x'.repeat(1_000)}"]`);
    const scan = new JsonScan(bytes, BOUNDS).run(100);
    expect(scan.isDone).toBe(false);
    expect(scan.run(bytes.length)).toMatchObject({ isDone: true, values: 2 });
  });
});

it('builds nothing of an object with too many members, unless its text is short', () => {
  const bounds = { depth: MAX_BODY_DEPTH, values: MAX_BODY_VALUES, members: MAX_OBJECT_MEMBERS };
  const parse = jest.spyOn(JSON, 'parse');
  const membersOf = (count: number) =>
    `{${Array.from({ length: count }, (_, position) => `"k${position}":0`).join(',')}}`;
  const problemOf = (text: string) => parseJson(text, Buffer.from(text), bounds);
  expect(problemOf(membersOf(90_000))).toEqual({ problem: 'members' });
  expect(parse).not.toHaveBeenCalled();
  expect(problemOf(membersOf(1_001))).toEqual({ problem: 'members' });
  expect(parse).toHaveBeenCalledTimes(1);
  parse.mockRestore();
});
