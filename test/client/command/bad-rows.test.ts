/** The file of rejected rows, byte by byte. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { badRowsPath, BadRows } from '../../../client/src/command/push/bad-rows';
import type { SourceRow } from '../../../client/src/command/input/source-rows';
import { useFolder } from './ingest';

const folder = useFolder();
const MESSAGES = { Email: ['Wrong, "so".'], '': ['Bad.', 'Very bad.'] };

function row(columns: readonly string[] | undefined, ...lines: string[]): SourceRow {
  const form = columns ? ({ of: 'csv', columns } as const) : ({ of: 'lines' } as const);
  const checkpoint = { offset: 0, line: 1, form };
  return { line: 1, lines: lines.map((line) => Buffer.from(line)), isContinuation: false, checkpoint };
}

function written(format: 'csv' | 'ndjson', ...rows: SourceRow[]): string {
  const path = join(folder(), 'bad');
  const file = new BadRows(path, format);
  for (const one of rows) file.add(one, MESSAGES);
  expect(file.progress).toEqual({ file: path, bytes: readFileSync(path).length });
  file.close();
  return readFileSync(path, 'utf8');
}

const CELL = '"Email: Wrong, ""so"". | Bad. Very bad."';

describe('of CSV', () => {
  it('has the messages in front of the first line of a record', () => {
    const columns = ['Email', 'a,b'];
    expect(written('csv', row(columns, 'x,"1', '2"'), row(columns, 'y,"not closed'))).toBe(
      `_errors,Email,"a,b"\n${CELL},x,"1\n,2"\n${CELL},y,"not closed\n`,
    );
  });

  it('replaces messages that are there already', () => {
    const columns = ['_errors', 'Email'];
    const text = written('csv', row(columns, '"old, ""one""",x'), row(columns, ',y'), row(columns, 'plain,z'));
    expect(text).toBe(`_errors,Email\n${CELL},x\n${CELL},y\n${CELL},z\n`);
  });
});

describe('of NDJSON', () => {
  const errors = JSON.stringify({ _errors: MESSAGES });

  it.each([
    [
      'an object, whose other bytes stay',
      '{ "Id" : 12345678901234567890}',
      `${errors.slice(0, -1)}, "Id" : 12345678901234567890}\n`,
    ],
    ['an object on several lines', '{\n"a":1\r\n}', `${errors.slice(0, -1)}, "a":1  }\n`],
    ['an object with messages', '{"_errors":{"":["old"]}, "a" : 1}', `${errors.slice(0, -1)}, "a" : 1}\n`],
    ['an object with messages elsewhere', '{"a" : 1,"_errors":1}', `{"a":1,"_errors":${JSON.stringify(MESSAGES)}}\n`],
    ['what is no object', '[1,{"a":2}]', `${errors}\n[1,{"a":2}]\n`],
    ['an empty object', '{}', `${errors}\n{}\n`],
    ['what is no JSON', '{"a', `${errors}\n{"a\n`],
  ])('marks %s', (_, line, expected) => expect(written('ndjson', row(undefined, line))).toBe(expected));
});

it('is written on from where an interrupted push had acknowledged it', () => {
  const path = join(folder(), 'bad.csv');
  writeFileSync(path, '_errors,Email\nBad.,x\nBad.,not acknowledged\n');
  const bytes = '_errors,Email\nBad.,x\n'.length;
  const file = new BadRows(path, 'csv', bytes);
  expect(file.progress).toEqual({ file: path, bytes });
  file.add(row(['Email'], 'y'), { '': ['Bad.'] });
  file.close();
  expect(readFileSync(path, 'utf8')).toBe('_errors,Email\nBad.,x\nBad.,y\n');
});

it('begins anew where somebody has taken it away', () => {
  const path = join(folder(), 'bad.csv');
  const file = new BadRows(path, 'csv', 1_000);
  expect(file.progress.bytes).toBe(0);
  file.add(row(['Email'], 'y'), { '': ['Bad.'] });
  file.close();
  expect(readFileSync(path, 'utf8')).toBe('_errors,Email\nBad.,y\n');
});

it.each([
  ['customers.csv.gz', 'csv', 'customers.bad.csv'],
  ['export.jsonl', 'ndjson', 'export.bad.ndjson'],
  ['export.json', 'json', 'export.bad.ndjson'],
  ['export.bad.csv', 'csv', 'export.bad-2.csv'],
  ['export.bad-2.csv', 'csv', 'export.bad-2.csv'],
  ['export', 'csv', 'export.bad-2.csv'],
] as const)('of %s is a file that is not there yet', (name, format, expected) => {
  writeFileSync(join(folder(), 'export.bad.csv'), '');
  expect(badRowsPath(join(folder(), name), format)).toBe(join(folder(), expected));
});
