/** `npm run build`: makes a folder and a zip for each deployed function. */
import { Command } from 'commander';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Artifact } from './artifact';
import { buildArtifact } from './artifact';
import { deployedFunctions } from './deployed-functions';

new Command('npm run build --')
  .description('Makes a folder and a zip of each function, ready to deploy. The same sources give the same bytes.')
  .option('--out <folder>', 'where <function>/ and <function>.zip are put; what is there of them is replaced', 'dist')
  .showHelpAfterError('(add --help for the usage)')
  .action(({ out }: { out: string }) => run(resolve(out)))
  .parseAsync()
  .catch((error: unknown) => {
    process.stderr.write(`The build failed: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });

/** Builds all functions before it writes any. npm runs the program in the project's folder. */
async function run(out: string): Promise<void> {
  const root = process.cwd();
  const artifacts: Artifact[] = [];
  for (const name of deployedFunctions(root)) {
    process.stdout.write(`Building ${name}\n`);
    artifacts.push(await buildArtifact(root, name));
  }
  for (const artifact of artifacts) write(artifact, out);
  process.stdout.write(`\n${summary(artifacts)}\nWritten to ${out}\n`);
}

function write({ name, files, zip }: Artifact, out: string): void {
  const folder = join(out, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [file, content] of Object.entries(files)) writeFileSync(join(folder, file), content);
  writeFileSync(join(out, `${name}.zip`), zip);
}

function summary(artifacts: readonly Artifact[]): string {
  const rows = artifacts.map(({ name, files, zip, packageCount }) => [
    name,
    String(files['index.js']?.length ?? 0),
    String(zip.length),
    String(packageCount),
  ]);
  const toLine = ([name = '', ...numbers]: readonly string[]) =>
    name.padEnd(20) + numbers.map((number) => number.padStart(16)).join('');
  return [['function', 'index.js bytes', 'zip bytes', 'packages'], ...rows].map(toLine).join('\n');
}
