import { build } from 'esbuild';
import { isBuiltin } from 'node:module';
import { basename } from 'node:path';
import type { Files } from './files';
import { generatedValidators } from './generated-validators';
import { OLDEST_RUNTIME } from './manifest';

export interface Bundle {
  /** `index.js` and its source map. */
  readonly files: Files;
  /** Names of the packages that the bundle requires, at once or later, sorted. */
  readonly packages: readonly string[];
}

/**
 * Bundles a function's own code into one CommonJS file. Packages stay outside: the framework has its registry of
 * functions in a module, so there may be only one copy of it; the SDKs read files of their own; and what is installed
 * by the lock file can be audited. The bytes depend on the sources alone, not on where the project is.
 * @param root the project's folder.
 * @throws Error with esbuild's messages when an import cannot be resolved or a file has a syntax error.
 */
export async function bundleFunction(root: string, name: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [`functions/${name}/index.ts`],
    // Nothing is written there: it is what the paths in the source map are relative to.
    outfile: `dist/${name}/index.js`,
    write: false,
    metafile: true,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: `node${OLDEST_RUNTIME}`,
    packages: 'external',
    plugins: [generatedValidators],
    // A lazy import becomes a lazy require: the same CommonJS builds of the packages that the tests run on.
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
