import type { BuildOptions } from 'esbuild';
import { build } from 'esbuild';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';

/**
 * Builds the package: the library in one file for ESM and one for CommonJS, its types for each, and the command with
 * everything that it needs.
 * @param root the folder of the package
 * @throws Error with the messages of esbuild or TypeScript
 */
export async function buildClient(root: string, out: string): Promise<void> {
  rmSync(out, { recursive: true, force: true });
  const common = {
    absWorkingDir: root,
    entryPoints: ['src/index.ts'],
    bundle: true,
    platform: 'neutral',
    target: 'es2022',
    logLevel: 'silent',
  } satisfies BuildOptions;
  await build({ ...common, format: 'esm', outfile: join(out, 'index.js') });
  await build({ ...common, format: 'cjs', outfile: join(out, 'index.cjs') });
  await build({
    ...common,
    entryPoints: ['src/command/main.ts'],
    platform: 'node',
    format: 'cjs',
    banner: { js: '#!/usr/bin/env node' },
    outfile: join(out, 'ingest.cjs'),
  });
  writeTypes(root, out);
}

/** What a declaration file imports of the others. Every resolver finds it by `.js` in ESM and `.cjs` in CommonJS. */
const RELATIVE_IMPORT = /(from |import\()(['"])(\.[^'"]*)\2/g;

function writeTypes(root: string, out: string): void {
  for (const [file, text] of declarations(root)) {
    const target = join(out, file);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text.replace(RELATIVE_IMPORT, '$1$2$3.js$2'));
    writeFileSync(target.replace(/ts$/, 'cts'), text.replace(RELATIVE_IMPORT, '$1$2$3.cjs$2'));
  }
}

/** The declaration files of the library by their paths below `src`. */
function declarations(root: string): Map<string, string> {
  const config = ts.getParsedCommandLineOfConfigFile(join(root, 'tsconfig.json'), {}, host);
  if (!config) throw new Error('client/tsconfig.json cannot be read.');
  const program = ts.createProgram({ rootNames: [join(root, 'src/index.ts')], options: config.options });
  const files = new Map<string, string>();
  const outDir = config.options.outDir ?? root;
  const emitted = program.emit(undefined, (path, text) => files.set(relative(outDir, path), text), undefined, true);
  const problems = [...ts.getPreEmitDiagnostics(program), ...emitted.diagnostics];
  if (problems.length > 0) throw new Error(ts.formatDiagnostics(problems, formatHost));
  return files;
}

const host: ts.ParseConfigFileHost = {
  ...ts.sys,
  onUnRecoverableConfigFileDiagnostic: (problem) => {
    throw new Error(ts.formatDiagnostics([problem], formatHost));
  },
};

const formatHost: ts.FormatDiagnosticsHost = {
  getCurrentDirectory: () => ts.sys.getCurrentDirectory(),
  getCanonicalFileName: (name) => name,
  getNewLine: () => ts.sys.newLine,
};
