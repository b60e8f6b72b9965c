import type { BuildFailure } from 'esbuild';
import { context, formatMessages } from 'esbuild';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BUNDLING } from '../../../functions/build/bundling';
import { findProcess } from '../process-info';
import { LOCAL_FUNCTIONS } from './served-functions';

/** A bundle of all functions that is built again and again. */
export interface FunctionsBundle {
  readonly file: string;
  /** Replaces the file. @returns what is wrong with the sources, for a terminal; undefined: it was built */
  build(): Promise<string | undefined>;
  close(): Promise<void>;
}

/**
 * The bundle of the functions with the worker that serves them. Types are not checked. What the build for a deployment
 * makes in advance, validators and files of the reference, is made in the worker, from the sources as they are then.
 * @param root the project's folder
 */
export async function openFunctionsBundle(root: string): Promise<FunctionsBundle> {
  // As deep in the project as a function's folder: functions find the files that they read from where they are.
  const bundles = join(root, '.local');
  removeLeftBundles(bundles);
  const folder = join(bundles, `functions-${process.pid}`);
  const file = join(folder, 'index.js');
  const sources = [...LOCAL_FUNCTIONS.map((name) => `./functions/${name}/index`), './test/local/functions/worker'];
  const builder = await context({
    absWorkingDir: root,
    stdin: { contents: sources.map((source) => `import '${source}';`).join('\n'), resolveDir: root, loader: 'ts' },
    outfile: file,
    ...BUNDLING,
    target: `node${process.versions.node}`,
    sourcemap: true,
  });
  return {
    file,
    build: async () => {
      try {
        await builder.rebuild();
        return undefined;
      } catch (error) {
        const { errors } = error as Partial<BuildFailure>;
        if (!errors) throw error;
        return (await formatMessages(errors, { kind: 'error', color: process.stdout.isTTY })).join('').trimEnd();
      }
    },
    close: async () => {
      await builder.dispose();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Removes the bundles of stacks that were killed. */
function removeLeftBundles(bundles: string): void {
  if (!existsSync(bundles)) return;
  for (const name of readdirSync(bundles)) {
    const pid = /^functions-(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && !findProcess(Number(pid))) rmSync(join(bundles, name), { recursive: true, force: true });
  }
}
