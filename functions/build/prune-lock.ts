/** Cuts a lock file down to what some of its packages need. */
import type { ArtifactManifest } from './manifest';

/** A package of a lock file, in the fields that pruning reads; all others are kept as they are. */
export interface LockedPackage {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly [field: string]: unknown;
}

/** A `package-lock.json` of version 3: packages by their places, such as `node_modules/a/node_modules/b`. */
export interface Lock {
  readonly lockfileVersion: number;
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

export interface PrunedLock extends Lock {
  readonly name: string;
  readonly version: string;
  readonly requires: true;
}

/** How the packages of the tree relate to one another, as npm marks them; they follow from the tree that is left. */
const MARKS: ReadonlySet<string> = new Set(['dev', 'devOptional', 'optional', 'peer']);

/**
 * The lock of a manifest: what can be reached from its dependencies, each package in its place and version. Every place
 * that is left is resolved as before, so `npm ci` accepts it.
 * @throws Error that names a package which is needed but not in the lock.
 */
export function pruneLock(lock: Lock, { name, version, license, engines, dependencies }: ArtifactManifest): PrunedLock {
  if (lock.lockfileVersion !== 3) throw new Error(`The lock file has version ${lock.lockfileVersion}; it must be 3.`);
  const root: LockedPackage = { name, version, license, dependencies, engines };
  const withRoot: Lock['packages'] = { ...lock.packages, '': root };
  const needed = reachable(withRoot, { withOptional: false });
  const places = [...reachable(withRoot, { withOptional: true })].filter((index) => index !== '').sort();
  const packages = places.map((index) => [index, marked(withRoot[index] ?? {}, !needed.has(index))] as const);
  return {
    name,
    version,
    lockfileVersion: 3,
    requires: true,
    packages: { '': root, ...Object.fromEntries(packages) },
  };
}

/** The overrides of packages that the lock has; without them `npm ci` refuses the versions that they made. */
export function overridesFor(
  { packages }: Lock,
  overrides: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const names = new Set(Object.keys(packages).map((index) => index.split('node_modules/').at(-1)));
  return Object.fromEntries(Object.entries(overrides).filter(([name]) => names.has(name)));
}

/** The places that can be reached from the root, which is the place `''`. */
function reachable(packages: Lock['packages'], { withOptional }: { withOptional: boolean }): Set<string> {
  const reached = new Set(['']);
  // A set goes on with what is added to it meanwhile.
  for (const index of reached) {
    for (const { name, isOptional } of requirementsOf(packages[index] ?? {})) {
      if (isOptional && !withOptional) continue;
      const found = resolvePlace(packages, index, name);
      if (found !== undefined) reached.add(found);
      else if (!isOptional) throw new Error(`The lock file has no ${name}, which ${index || 'the function'} needs.`);
    }
  }
  return reached;
}

/**
 * What a package asks for. npm installs no optional peer for its sake; what is optional does not count as needed, too.
 */
function requirementsOf(locked: LockedPackage): { name: string; isOptional: boolean }[] {
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = locked;
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
  const required = [...Object.keys(dependencies), ...peers].filter((name) => !(name in optionalDependencies));
  return [
    ...required.map((name) => ({ name, isOptional: false })),
    ...Object.keys(optionalDependencies).map((name) => ({ name, isOptional: true })),
  ];
}

/** Where Node.js finds a package: in the folder of the one that asks, else in the next one above. */
function resolvePlace(packages: Lock['packages'], from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/node_modules/'), 0))) {
    const index = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (index in packages) return index;
    if (folder === '') return undefined;
  }
}

function marked(locked: LockedPackage, isOptional: boolean): LockedPackage {
  const fields = Object.entries(locked).filter(([field]) => !MARKS.has(field));
  return { ...Object.fromEntries(fields), ...(isOptional && { optional: true }) };
}
