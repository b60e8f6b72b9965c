/** The tables of docs/ that are made from `openapi.json`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiDocument } from '../../../functions/openapi/pages/document';
import { withTables } from '../../../functions/openapi/pages/pages';
import { PAGES, readPage, ROOT } from './pages';

const document = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8')) as ApiDocument;
const region = (table: string) => `<!-- generated: ${table} -->\n<!-- end -->`;

it.each(PAGES)(
  '%s has the tables that `npm run openapi` writes: run it after a change of the contract (R-117)',
  (name) => {
    expect(withTables(readPage(name), document)).toBe(readPage(name));
  },
);

it('are those of routes, messages, fields and members', () => {
  const tables = PAGES.flatMap((name) =>
    [...readPage(name).matchAll(/<!-- generated: (\w+)/g)].map(([, kind]) => kind),
  );
  expect([...new Set(tables)].sort()).toEqual(['fields', 'members', 'messages', 'routes']);
});

it('tell of each object that a request has', () => {
  const api = readPage('api.md');
  const sent = Object.keys(document.components.schemas).filter(
    (name) => /\[\w+\]\(#/.test(api) && api.includes(`[${name}](#`),
  );
  expect(sent.length).toBeGreaterThan(7);
  for (const name of sent) expect(api).toContain(`\n### ${name}\n`);
});

/** The document with another message of an operation. */
function withMessage(message: string): ApiDocument {
  const [path, methods] = Object.entries(document.paths)[0]!;
  const [method, operation] = Object.entries(methods)[0]!;
  const conflict = { content: { 'application/json': { schema: {}, examples: { one: { value: { message } } } } } };
  const changed = { ...operation, responses: { ...operation.responses, 409: conflict } };
  return { ...document, paths: { ...document.paths, [path]: { ...methods, [method]: changed } } };
}

it('need advice for each message (R-117)', () => {
  expect(() => withTables(region('messages'), withMessage('The moon is full.'))).toThrow(
    'Number of advices for "The moon is full.": 0.',
  );
});

it('need a message for each advice', () => {
  expect(() => withTables(region('messages'), { ...document, paths: {} })).toThrow(
    'No message is "Invalid tenant identifier.".',
  );
});

it('are of objects that the document has, and of known kinds', () => {
  expect(() => withTables(region('fields Moon'), document)).toThrow('The document has no object Moon.');
  expect(() => withTables(region('moons'), document)).toThrow('No table is named moons.');
});
