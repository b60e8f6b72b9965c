/**
 * What the measured processes run, each as the platform has it: built before, so that nothing is compiled while it is
 * measured.
 */
import { buildSync } from 'esbuild';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { StackError } from '../local/stack-error';

/** Below the project, so that what is built here finds the project's packages. */
const FOLDER = resolve('.local/bench');

/** The folder of a built function. @param project another checkout. @throws StackError when it is not built. */
export function functionFolder(name: string, project = '.'): string {
  const folder = resolve(project, 'dist', name);
  if (existsSync(folder)) return folder;
  throw new StackError(`The function ${name} is not built in ${resolve(project)}: run "npm run build" there first.`);
}

/** Builds one of the benchmark's own programs as one file; packages stay outside. @returns the path of the file. */
export function buildProgram(source: string, name: string): string {
  const outfile = join(FOLDER, `${name}.cjs`);
  const entryPoints = [resolve(__dirname, source)];
  buildSync({ entryPoints, outfile, bundle: true, platform: 'node', format: 'cjs', packages: 'external' });
  return outfile;
}

/** The framework's own hello world: the least that a function can be. @returns its folder. */
export function helloFolder(): string {
  const folder = join(FOLDER, 'hello');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'index.js'),
    "require('@google-cloud/functions-framework').http('hello', (request, response) => response.send('Hello!'));\n",
  );
  return folder;
}
