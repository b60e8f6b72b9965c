import { build } from 'esbuild';
import { isBuiltin } from 'node:module';
import { basename } from 'node:path';
import { BUNDLING } from './bundling';
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
 * Bundles a function's own code into one CommonJS file (`BUNDLING`). The bytes depend on the sources alone, not on the
 * project's folder.
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
    ...BUNDLING,
    target: `node${OLDEST_RUNTIME}`,
    plugins: [generatedValidators, generatedAssets],
    sourcemap: 'linked',
    sourcesContent: false,
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
