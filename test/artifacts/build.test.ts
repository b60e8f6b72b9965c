/** What `npm run build` makes of each function, and that it makes the same again elsewhere. */
import { unzipSync } from 'fflate';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Lock } from '../../functions/build/prune-lock';
import { build, checkOut, FUNCTIONS, PROJECT, readJson, runBuild, temporaryFolder } from './built-artifacts';

jest.setTimeout(90_000);

interface Manifest {
  readonly main: string;
  readonly engines: { readonly node: string };
  readonly scripts?: object;
  readonly dependencies: Record<string, string>;
  readonly devDependencies?: object;
}

const FILES = ['index.js', 'index.js.map', 'package-lock.json', 'package.json'];

const folder = temporaryFolder();
const out = join(folder, 'out');
let printed = '';
beforeAll(() => {
  printed = build(out);
});
afterAll(() => rmSync(folder, { recursive: true }));

const manifestOf = (name: string) => readJson<Manifest>(out, name, 'package.json');
const lockOf = (name: string) => readJson<Lock>(out, name, 'package-lock.json');

/** Those functions whose artifact depends on a package. */
const dependents = (name: string) => FUNCTIONS.filter((each) => name in manifestOf(each).dependencies);

describe('npm run build', () => {
  it('makes a folder and a zip of each deployed function, and of nothing else', () => {
    expect(readdirSync(out).sort()).toEqual(FUNCTIONS.flatMap((name) => [name, `${name}.zip`]).sort());
  });

  it('says which function it builds, and how large each is', () => {
    for (const name of FUNCTIONS) {
      const bytes = readFileSync(join(out, `${name}.zip`)).length;
      expect(printed).toContain(`Building ${name}\n`);
      expect(printed).toMatch(new RegExp(`^${name} +\\d+ +${bytes} +\\d+$`, 'm'));
    }
  });

  it.each(FUNCTIONS)('packs into %s.zip what is in its folder, in the order of names', (name) => {
    const zip = readFileSync(join(out, `${name}.zip`));
    const unpacked = unzipSync(zip);
    expect(Object.keys(unpacked)).toEqual(FILES);
    expect(readdirSync(join(out, name)).sort()).toEqual(FILES);
    for (const file of FILES) expect(readFileSync(join(out, name, file)).equals(unpacked[file]!)).toBe(true);
  });

  it.each(FUNCTIONS)('gives %s what the buildpack wants: main, a range of Node.js versions, no script', (name) => {
    const { main, engines, scripts, devDependencies } = manifestOf(name);
    expect({ main, engines, scripts, devDependencies }).toEqual({
      main: 'index.js',
      engines: { node: '22.x || 24.x' },
    });
  });

  it.each(FUNCTIONS)('pins the packages of %s as the project does, in manifest and lock file', (name) => {
    const project = readJson<Manifest>(PROJECT, 'package.json').dependencies;
    const { dependencies } = manifestOf(name);
    const { packages } = lockOf(name);
    expect(dependencies).toHaveProperty(['@google-cloud/functions-framework']);
    for (const [dependency, version] of Object.entries(dependencies)) {
      expect(version).toMatch(/^\d+\.\d+\.\d+$/);
      expect(version).toBe(project[dependency]);
      expect(packages[`node_modules/${dependency}`]?.version).toBe(version);
    }
  });

  it.each(FUNCTIONS)('names in %s every package that its bundle requires, and no others', (name) => {
    const bundle = readFileSync(join(out, name, 'index.js'), 'utf8');
    const required = [...bundle.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, path]) => path ?? '');
    const packages = required.filter((path) => !path.startsWith('node:'));
    const names = packages.map((path) => path.split('/', path.startsWith('@') ? 2 : 1).join('/'));
    expect([...new Set(names)].sort()).toEqual(Object.keys(manifestOf(name).dependencies));
  });

  it('gives the SDKs only to the functions that use them', () => {
    expect(dependents('@google-cloud/storage')).toEqual(['console', 'ingestion', 'transfer-runner']);
    expect(dependents('papaparse')).toEqual([]);
    expect(dependents('zstddec')).toEqual(['transfer-runner']);
    expect(dependents('@google-cloud/scheduler')).toEqual(['console', 'ingestion']);
    expect(dependents('@google-cloud/pubsub')).toEqual([]);
    expect(dependents('commander')).toEqual([]);
    expect(Object.keys(manifestOf('docs').dependencies)).toEqual(['@google-cloud/functions-framework']);
    expect(lockOf('customers').packages).not.toHaveProperty(['node_modules/@google-cloud/storage']);
    expect(lockOf('customers').packages).not.toHaveProperty(['node_modules/google-gax']);
    expect(lockOf('customers').packages).not.toHaveProperty(['node_modules/esbuild']);
  });

  it.each(FUNCTIONS)('has no address in the lock file and no path of this machine in the bundle of %s', (name) => {
    for (const { resolved, link } of Object.values(lockOf(name).packages)) {
      expect({ resolved, link }).toEqual({});
    }
    for (const file of ['index.js', 'index.js.map']) {
      expect(readFileSync(join(out, name, file), 'utf8')).not.toContain(`${PROJECT}/`);
    }
    const { sources } = readJson<{ sources: string[] }>(out, name, 'index.js.map');
    expect(sources.filter((source) => !/^\.\.\/\.\.\/(functions|shared)\//.test(source))).toEqual([]);
  });

  it('makes the same bytes in another folder and time zone, over what an older build left', () => {
    const project = checkOut(join(folder, 'elsewhere'));
    const again = join(folder, 'again');
    mkdirSync(join(again, 'customers'), { recursive: true });
    writeFileSync(join(again, 'customers', 'old.js'), '');
    build(again, project, { TZ: 'Asia/Tokyo' });
    expect(readdirSync(join(again, 'customers')).sort()).toEqual(FILES);
    for (const name of FUNCTIONS) {
      const [first, second] = [out, again].map((each) => readFileSync(join(each, `${name}.zip`)));
      expect({ name, isEqual: first?.equals(second!) }).toEqual({ name, isEqual: true });
    }
  });

  it('builds a function that is new, and refuses one that imports a package which is no runtime dependency', () => {
    const project = checkOut(join(folder, 'changed'));
    const index = (extra: string) =>
      `import { http } from '@google-cloud/functions-framework';\n${extra}\nhttp('added', (_, response) => void response.end());\n`;
    mkdirSync(join(project, 'functions', 'added'));
    const entry = join(project, 'functions', 'added', 'index.ts');
    writeFileSync(entry, index(''));
    const added = join(folder, 'added');
    build(added, project);
    expect(readdirSync(added).sort()).toEqual(['added', ...FUNCTIONS].flatMap((name) => [name, `${name}.zip`]).sort());
    expect(Object.keys(readJson<Manifest>(added, 'added', 'package.json').dependencies)).toEqual([
      '@google-cloud/functions-framework',
    ]);

    writeFileSync(entry, index("import { zipSync } from 'fflate';\nzipSync({});"));
    const refused = join(folder, 'refused');
    const { code, stderr } = runBuild(refused, project);
    expect(code).toBe(1);
    expect(stderr).toContain('added imports fflate, which is not among the dependencies in package.json.');
    expect(existsSync(refused)).toBe(false);
  });
});
