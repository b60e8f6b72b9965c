/** Each row of docs/decisions.md has a test that holds it. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const ROOT = join(__dirname, '../../..');
const DECISIONS = readFileSync(join(ROOT, 'docs/decisions.md'), 'utf8');

/**
 * The decisions with the tests that hold each: paths in `test/`, where a name without a folder is in the one before it.
 */
function heldDecisions(): { readonly id: string; readonly tests: readonly string[] }[] {
  return [...DECISIONS.matchAll(/^\| ([DR]-\d{2,3}) \|.*\| ([^|]*) \|$/gm)].map(([, id = '', cell = '']) => {
    let folder = '';
    const tests = cell.split(', ').map((name) => {
      folder = name.includes('/') ? dirname(name) : folder;
      return join(folder, basename(name));
    });
    return { id, tests };
  });
}

/**
 * The titles in a test file, and in the suite of `test/http` that it runs. Some take the id from a row of their table.
 */
function titlesIn(file: string): string {
  const text = readFileSync(join(ROOT, 'test', file), 'utf8');
  const suites = [...text.matchAll(/from '\.\.\/suites\/([a-z-]+)'/g)].map(
    ([, suite = '']) => `http/suites/${suite}.ts`,
  );
  const titles = text.split('\n').filter((line) => /^\s*(?!\*|\/)[^/]*['`]/.test(line));
  return [...titles, ...suites.map(titlesIn)].join('\n');
}

it('has a test for each decision, with the decision in its title', () => {
  const decisions = heldDecisions();
  expect(decisions.length).toBeGreaterThan(50);
  const files = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' });
  const untested = decisions.flatMap(({ id, tests }) =>
    tests.flatMap((test) => {
      const pattern = new RegExp(`^${test.replace('*', '[^/]*')}\\.(test|browser)\\.ts$`);
      const titles = files.filter((file) => pattern.test(file)).map(titlesIn);
      return titles.some((text) => text.includes(id)) ? [] : [`${id}: ${test}`];
    }),
  );
  expect(untested).toEqual([]);
});
