import { build } from 'esbuild';
import { isBuiltin } from 'node:module';
import { basename } from 'node:path';
import type { Files } from './files';
import { generatedAssets } from './generated-assets';
import { generatedValidators } from './generated-validators';
import { OLDEST_RUNTIME } from './manifest';

export interface Bundle {
  /** `index.js` and its source map. */
  readonly files: Files;
  /** Names of the packages that the bundle requires at its start or lazily, sorted. */
  readonly packages: readonly string[];
}

/**
 * Bundles a function's own code into one CommonJS file. The bytes depend on the sources alone, not on the project's
 * folder. Packages stay outside, for three reasons:
 *
 * - The framework keeps its registry of functions in a module, so only one copy of that module may exist.
 * - The SDKs read files of their own packages.
 * - Packages that the lock file installs can be audited.
 *
 * @param root the project's folder
 * @throws Error with esbuild's messages when an import cannot be resolved or a file has a syntax error
 */
export async function bundleFunction(root: string, name: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [`functions/${name}/index.ts`],
    // Nothing is written to this file: paths in the source map are relative to it.
    outfile: `dist/${name}/index.js`,
    write: false,
    metafile: true,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: `node${OLDEST_RUNTIME}`,
    packages: 'external',
    plugins: [generatedValidators, generatedAssets],
    // A lazy import becomes a lazy require: it loads the CommonJS builds of the packages, as in the tests.
    supported: { 'dynamic-import': false },
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'silent',
  });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  const required = imports.filter(({ external, path }) => external && !isBuiltin(path)).map(({ path }) => path);
  return {
    files: Object.fromEntries(outputFiles.map(({ path, contents }) => [basename(path), contents])),
    packages: [...new Set(required.map(toPackageName))].sort(),
  };
}

/** `@scope/name/part` → `@scope/name`. */
function toPackageName(path: string): string {
  return path.split('/', path.startsWith('@') ? 2 : 1).join('/');
}
