/** What is left of a lock file: all that the dependencies need, in its place, and nothing else. */
import type { ArtifactManifest } from '../../functions/build/manifest';
import type { Lock, LockedPackage } from '../../functions/build/prune-lock';
import { overridesFor, pruneLock } from '../../functions/build/prune-lock';

function manifest(...names: readonly string[]): ArtifactManifest {
  return {
    name: 'customers',
    version: '1.0.0',
    private: true,
    license: 'UNLICENSED',
    main: 'index.js',
    engines: { node: '22.x' },
    dependencies: Object.fromEntries(names.map((name) => [name, '1.0.0'])),
  };
}

function lockOf(packages: Record<string, LockedPackage>): Lock {
  const entries = Object.entries(packages).map(([path, locked]) => [`node_modules/${path}`, locked] as const);
  return { lockfileVersion: 3, packages: { '': needs('all'), ...Object.fromEntries(entries) } };
}

const needs = (...names: readonly string[]): LockedPackage => ({
  dependencies: Object.fromEntries(names.map((name) => [name, '^1.0.0'])),
});

/** The paths of the packages that are left, without the root. */
function pathsOf(packages: Record<string, LockedPackage>, ...names: readonly string[]): string[] {
  return Object.keys(pruneLock(lockOf(packages), manifest(...names)).packages)
    .filter((path) => path !== '')
    .map((path) => path.replace('node_modules/', ''));
}

describe('pruneLock', () => {
  it('keeps what the dependencies need, and what that needs, sorted, and drops the rest', () => {
    const packages = { z: needs('a'), a: needs(), other: needs('far'), far: needs() };
    expect(pathsOf(packages, 'z')).toEqual(['a', 'z']);
  });

  it('describes the function at its root, without development dependencies', () => {
    const { packages, ...top } = pruneLock(lockOf({ a: needs() }), manifest('a'));
    expect(top).toEqual({ name: 'customers', version: '1.0.0', lockfileVersion: 3, requires: true });
    expect(packages['']).toEqual({
      name: 'customers',
      version: '1.0.0',
      license: 'UNLICENSED',
      dependencies: { a: '1.0.0' },
      engines: { node: '22.x' },
    });
  });

  it('takes the nearest copy of a package, as Node.js does', () => {
    const packages = {
      a: needs('b'),
      b: needs(),
      'a/node_modules/b': needs('c'),
      c: needs(),
      'a/node_modules/c': needs(),
      d: needs('b'),
    };
    expect(pathsOf(packages, 'a')).toEqual(['a', 'a/node_modules/b', 'a/node_modules/c']);
    expect(pathsOf(packages, 'd')).toEqual(['b', 'd']);
  });

  it('looks through all folders above, with scoped names', () => {
    const packages = {
      '@s/a': needs('@s/b'),
      '@s/a/node_modules/@s/b': needs('c', 'd'),
      '@s/a/node_modules/c': needs(),
      c: needs(),
      d: needs(),
    };
    expect(pathsOf(packages, '@s/a')).toEqual(['@s/a', '@s/a/node_modules/@s/b', '@s/a/node_modules/c', 'd']);
  });

  it('ends when packages need one another', () => {
    expect(pathsOf({ a: needs('b'), b: needs('a') }, 'a')).toEqual(['a', 'b']);
  });

  it('keeps optional dependencies that are there, marked as npm does, and misses none that are not', () => {
    const packages = {
      a: { ...needs('c'), optionalDependencies: { b: '1', absent: '1' } },
      b: needs('c', 'd'),
      c: { optional: true },
      d: { optional: true },
    };
    const pruned = pruneLock(lockOf(packages), manifest('a'));
    expect(Object.keys(pruned.packages)).toEqual([
      '',
      'node_modules/a',
      'node_modules/b',
      'node_modules/c',
      'node_modules/d',
    ]);
    expect(pruned.packages['node_modules/b']).toEqual({ ...needs('c', 'd'), optional: true });
    expect(pruned.packages['node_modules/c']).toEqual({});
    expect(pruned.packages['node_modules/d']).toEqual({ optional: true });
  });

  it('keeps peers, but optional ones only if something else needs them', () => {
    const packages = {
      a: { peerDependencies: { b: '1', c: '1' }, peerDependenciesMeta: { c: { optional: true } } },
      b: { peer: true },
      c: needs(),
      d: needs('c'),
    };
    expect(pathsOf(packages, 'a')).toEqual(['a', 'b']);
    expect(pathsOf(packages, 'a', 'd')).toEqual(['a', 'b', 'c', 'd']);
  });

  it('keeps all that is said of a package, but for how it related to others', () => {
    const locked = { version: '1.2.3', integrity: 'sha512-x', bin: { b: 'b.js' }, hasInstallScript: true };
    const pruned = pruneLock(lockOf({ a: { ...locked, devOptional: true } }), manifest('a'));
    expect(pruned.packages['node_modules/a']).toEqual(locked);
  });

  it('refuses a lock without a package that is needed, and names it and who needs it', () => {
    expect(() => pathsOf({ a: needs('b') }, 'a')).toThrow('The lock file has no b, which node_modules/a needs.');
    expect(() => pathsOf({}, 'a')).toThrow('The lock file has no a, which the function needs.');
  });

  it('refuses a lock of another version', () => {
    const older: Lock = { ...lockOf({ a: needs() }), lockfileVersion: 1 };
    expect(() => pruneLock(older, manifest('a'))).toThrow('The lock file has version 1; it must be 3.');
  });
});

describe('overridesFor', () => {
  it('keeps the overrides of packages that are in the lock, at any place', () => {
    const lock = lockOf({ a: needs(), 'a/node_modules/uuid': needs(), '@s/b': needs() });
    expect(overridesFor(lock, { uuid: '11.1.1', '@s/b': '1.0.0', a: '2.0.0', b: '1.0.0', gone: '1.0.0' })).toEqual({
      uuid: '11.1.1',
      '@s/b': '1.0.0',
      a: '2.0.0',
    });
  });
});
