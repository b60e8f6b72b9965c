import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const TESTS = join(__dirname, '../..');
const MOCK = /jest\.mock(?:<\w+>)?\('([^']*\/limits(?:\/\w+)?)', \(\) => \(\{([\s\S]*?)\n\}\)\)/g;

interface Replaced {
  readonly file: string;
  readonly module: string;
  readonly bound: string;
}

const replaced = readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .flatMap((file): Replaced[] => {
    const text = readFileSync(join(TESTS, file), 'utf8');
    return [...text.matchAll(MOCK)].flatMap(([, path = '', body = '']) =>
      [...body.matchAll(/^ {2}([A-Z_]+):/gm)].map(([, bound = '']) => {
        return { file, module: resolve(TESTS, dirname(file), path), bound };
      }),
    );
  });

it('replaces only bounds that there are: a renamed one would quietly keep its value', () => {
  expect(replaced.length).toBeGreaterThan(30);
  const unknown = replaced.filter(({ module, bound }) => !(bound in jest.requireActual<object>(module)));
  expect(unknown.map(({ file, bound }) => `${file}: ${bound}`)).toEqual([]);
});
