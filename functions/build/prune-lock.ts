/** Prunes a lock file to the packages that a function needs. */
import type { ArtifactManifest } from './manifest';

/** A package of a lock file, with the fields that pruning reads. All others are kept unchanged. */
export interface LockedPackage {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly [field: string]: unknown;
}

/** A `package-lock.json` of version 3: packages by their paths, such as `node_modules/a/node_modules/b`. */
export interface Lock {
  readonly lockfileVersion: number;
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

export interface PrunedLock extends Lock {
  readonly name: string;
  readonly version: string;
  readonly requires: true;
}

/** npm's flags for how a package relates to the whole tree. They are set anew for the pruned tree. */
const TREE_FLAGS: ReadonlySet<string> = new Set(['dev', 'devOptional', 'optional', 'peer']);

/**
 * The lock file of a manifest: the packages reachable from its dependencies, with unchanged paths and versions.
 * Each dependency is resolved to the same path as before, so `npm ci` accepts the result.
 * @throws Error that names a package that is needed but not in the lock file
 */
export function pruneLock(lock: Lock, { name, version, license, engines, dependencies }: ArtifactManifest): PrunedLock {
  if (lock.lockfileVersion !== 3) throw new Error(`The lock file has version ${lock.lockfileVersion}; it must be 3.`);
  const root: LockedPackage = { name, version, license, dependencies, engines };
  const withRoot: Lock['packages'] = { ...lock.packages, '': root };
  const needed = reachable(withRoot, { withOptional: false });
  const paths = [...reachable(withRoot, { withOptional: true })].filter((path) => path !== '').sort();
  const packages = paths.map((path) => [path, withFlags(withRoot[path] ?? {}, !needed.has(path))] as const);
  return {
    name,
    version,
    lockfileVersion: 3,
    requires: true,
    packages: { '': root, ...Object.fromEntries(packages) },
  };
}

/** The overrides of packages in the lock file. Without them `npm ci` refuses the overridden versions. */
export function overridesFor(
  { packages }: Lock,
  overrides: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const names = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)));
  return Object.fromEntries(Object.entries(overrides).filter(([name]) => names.has(name)));
}

/** The paths of the packages that can be reached from the root, whose path is `''`. */
function reachable(packages: Lock['packages'], { withOptional }: { withOptional: boolean }): Set<string> {
  const reached = new Set(['']);
  // Iterating over a set also visits the elements that are added meanwhile.
  for (const path of reached) {
    for (const { name, isOptional } of requirementsOf(packages[path] ?? {})) {
      if (isOptional && !withOptional) continue;
      const required = resolvePath(packages, path, name);
      if (required !== undefined) reached.add(required);
      else if (!isOptional) throw new Error(`The lock file has no ${name}, which ${path || 'the function'} needs.`);
    }
  }
  return reached;
}

/** The packages that a package depends on. Optional peers are left out, because npm does not install them for it. */
function requirementsOf(locked: LockedPackage): { name: string; isOptional: boolean }[] {
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = locked;
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
  const required = [...Object.keys(dependencies), ...peers].filter((name) => !(name in optionalDependencies));
  return [
    ...required.map((name) => ({ name, isOptional: false })),
    ...Object.keys(optionalDependencies).map((name) => ({ name, isOptional: true })),
  ];
}

/** The path at which Node.js finds a package: below the requiring package, else below the nearest folder above. */
function resolvePath(packages: Lock['packages'], from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/node_modules/'), 0))) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (path in packages) return path;
    if (folder === '') return undefined;
  }
}

/** The package with npm's flag for an optional one, or none. */
function withFlags(locked: LockedPackage, isOptional: boolean): LockedPackage {
  const fields = Object.entries(locked).filter(([field]) => !TREE_FLAGS.has(field));
  return { ...Object.fromEntries(fields), ...(isOptional && { optional: true }) };
}
