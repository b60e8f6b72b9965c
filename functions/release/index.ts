/** `npm run release`: makes releases, and gets those that are kept. npm runs the program in the project's folder. */
import { Command } from 'commander';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fetchRelease } from './fetch-release';
import { readRelease } from './release';

const OUT = 'dist/release';
const program = new Command('npm run release --')
  .description(
    'Makes releases, and gets those that are kept. docs/releasing.md has the path of a change to production.',
  )
  .showHelpAfterError('(add --help for the usage)');

program
  .command('build')
  .description('build everything that is deployed, from what is committed; the same commit gives the same bytes')
  .option('--tag <tag>', 'refuse to build where the version in package.json is another')
  .option('--out <folder>', 'what is there is replaced', OUT)
  .action(async ({ tag, out }: { tag?: string; out: string }) => {
    // What builds takes long to load.
    const { makeRelease } = await import('./make-release');
    const files = await makeRelease(process.cwd(), tag ?? null);
    rmSync(out, { recursive: true, force: true });
    mkdirSync(out, { recursive: true });
    for (const [name, content] of Object.entries(files)) writeFileSync(join(out, name), content);
    tell(out);
  });

program
  .command('verify')
  .description('check that a folder has a release as it was built, by its checksums')
  .argument('[folder]', 'where it is', OUT)
  .action(tell);

program
  .command('fetch')
  .description('download a release that is kept on GitHub, and check its provenance and checksums (needs gh)')
  .argument('<tag>', 'such as v1.2.0')
  .option('--out <folder>', 'what is there is replaced', OUT)
  .action((tag: string, { out }: { out: string }) => {
    fetchRelease(tag, out);
    tell(out);
  });

program.parseAsync().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});

/** Says what a folder has, after its checksums were verified. */
function tell(folder: string): void {
  const { origin, files } = readRelease(folder);
  const count = Object.keys(files).length;
  process.stdout.write(
    `${origin.release} of ${origin.commit}: ${count} files in ${resolve(folder)}, as they were built\n`,
  );
}
