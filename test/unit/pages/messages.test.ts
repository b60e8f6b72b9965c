/** The pages have each message that `openapi.json` does not have: of bodies, rows, files and runs; and each warning. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WARNING_CODES } from '../../../shared/domain/warnings/warning';
import { readPage, ROOT } from './pages';

/** Where the messages are that a tenant reads. */
const FOLDERS = ['shared/validation', 'shared/files', 'shared/transfers', 'shared/workspace'];
const FILES = ['shared/http/body.ts', 'shared/adapters/storage/refusals.ts'];

/** Lines that are for operators: errors of the code, dead letters, and what is logged. */
const NOT_FOR_TENANTS =
  /new (AllRegionsFull|Error|ImpossibleStep|BudgetSpent|RedeliverLater|RetryLater)\(|\.log\(|^\s*(\*|\/)/;

/** Parts of sentences, which a message of the page has as `…`. */
const PARTS = [
  'Are the columns separated by vertical bars?',
  'By its name it holds Avro records.',
  'By its name it holds Parquet records.',
  'By its name it holds one JSON object a line.',
  'By its name it holds an array of JSON objects, or one JSON object a line.',
  'By its name it holds rows of as many cells as the header row has.',
];

/** The title of every validation error, which no row has. */
const TITLE = 'One or more validation errors occurred.';

function sources(): string[] {
  const inFolders = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name)),
  );
  return [...inFolders, ...FILES];
}

/** The sentences in a file's code, with `…` in place of what is put into them. */
function sentencesIn(file: string): string[] {
  const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
  return lines
    .filter((line) => !NOT_FOR_TENANTS.test(line))
    .flatMap((line) => [...line.matchAll(/'([A-Z][^']* [^']*[.?])'|`([A-Z][^`]* [^`]*[.?])`/g)])
    .map(([, plain, template]) => plain ?? template?.replace(/\$\{[^}]*\}/g, '…') ?? '')
    .filter((sentence) => sentence !== TITLE && !PARTS.includes(sentence));
}

/** Whether the texts may be the same: `…` in either of them stands for any text of the other. */
function mayBeSame(one: string, other: string): boolean {
  const fits = (pattern: string, text: string) => {
    const escaped = pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.+');
    return new RegExp(`^${escaped}$`).test(text);
  };
  return fits(one, other) || fits(other, one);
}

const page = readPage('errors-and-limits.md');
const messages = [...page.matchAll(/^\|.*\|$/gm)].flatMap(([row]) =>
  [...row.matchAll(/`([A-Z][^`]+)`/g)].map(([, message = '']) => message),
);
const sentences = [...new Set(sources().flatMap(sentencesIn))];

it('finds sentences and messages to compare', () => {
  expect(sentences).toEqual(expect.arrayContaining(['The … is cut off.', 'The field … must be a GUID.']));
  expect(messages.length).toBeGreaterThan(60);
});

it.each(sentences)('tells what to do about: %s', (sentence) => {
  expect(messages.filter((message) => mayBeSame(message, sentence))).not.toEqual([]);
});

it('tells what to do about each warning (R-100)', () => {
  const section = readPage('files.md').split('\n## Warnings\n')[1]?.split('\n## ')[0] ?? '';
  const codes = [...section.matchAll(/^\| `(\w+)` \| [^|]+ \| [^|]+ \|/gm)].map(([, code]) => code);
  expect(codes).toEqual(WARNING_CODES);
});
