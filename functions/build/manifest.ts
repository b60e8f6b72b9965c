/** The major versions of Node.js that functions support as a Cloud Functions runtime, from the oldest. */
const RUNTIMES = [22, 24] as const;

/** The bundle uses only syntax that this version supports. */
export const OLDEST_RUNTIME = RUNTIMES[0];

/** The fields of the project's `package.json` that concern its functions. */
export interface ProjectManifest {
  readonly version: string;
  readonly license: string;
  /** Runtime dependencies, each with an exact version. */
  readonly dependencies: Readonly<Record<string, string>>;
  /** Versions that replace those that other packages ask for. */
  readonly overrides?: Readonly<Record<string, string>>;
}

/** The `package.json` of an artifact. It has no scripts: Google's Node.js buildpack would run a `build` script. */
export interface ArtifactManifest extends Omit<ProjectManifest, 'overrides'> {
  readonly name: string;
  readonly private: true;
  /** The file that functions-framework loads. */
  readonly main: 'index.js';
  readonly engines: { readonly node: string };
}

/**
 * The manifest of a function that requires `packages`, in the versions that the project pins.
 * @throws Error that names a package that is not among the project's runtime dependencies
 */
export function toManifest(name: string, packages: readonly string[], project: ProjectManifest): ArtifactManifest {
  const { version, license } = project;
  const dependencies = packages.map((required) => {
    const pinned = project.dependencies[required];
    if (pinned !== undefined) return [required, pinned] as const;
    throw new Error(`${name} imports ${required}, which is not among the dependencies in package.json.`);
  });
  return {
    name,
    version,
    private: true,
    license,
    main: 'index.js',
    engines: { node: RUNTIMES.map((major) => `${major}.x`).join(' || ') },
    dependencies: Object.fromEntries(dependencies),
  };
}
