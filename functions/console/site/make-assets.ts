/** Makes the files of the console: its page, and what that loads. The same sources give the same bytes. */
import { buildSync } from 'esbuild';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Asset, Assets } from '../../../shared/http/assets/asset';
import { FOR_BROWSERS, toAsset, versionOf } from '../../build/browser/asset';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

/** From the project's folder. */
const NODE_STAND_INS = './functions/console/app/pages/send/node-stand-ins.ts';
const NODE_MODULES = ['node:buffer', 'node:crypto', 'node:perf_hooks', 'node:timers/promises', 'node:zlib', 'zstddec'];

/**
 * @param root the project's folder
 * @throws Error with esbuild's messages
 */
export function makeAssets(root: string): Assets {
  const folder = join(root, 'functions/console/app');
  const loaded = bundle(root, folder);
  const icon = readFileSync(join(folder, 'icon.svg'), 'utf8');
  const iconName = `icon-${versionOf(icon)}.svg`;
  const nameOf = (pattern: RegExp) => [...loaded.keys()].find((name) => pattern.test(name)) ?? '';
  const page = toPage({ icon: iconName, style: nameOf(/^style-.*\.css$/), script: nameOf(/^main-.*\.js$/) });
  return new Map([
    ['', toAsset('text/html; charset=utf-8', page)],
    [`assets/${iconName}`, toAsset('image/svg+xml', icon, true)],
    ...[...loaded].map(([name, asset]) => [`assets/${name}`, asset] as const),
  ]);
}

/** The script, its parts that are loaded when they are needed, and the style. Names hold hashes of the contents. */
function bundle(root: string, folder: string): ReadonlyMap<string, Asset> {
  const { outputFiles } = buildSync({
    ...FOR_BROWSERS,
    absWorkingDir: root,
    entryPoints: { main: join(folder, 'main.tsx'), style: join(folder, 'style/main.css') },
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    outdir: 'assets', // nothing is written
    preserveSymlinks: true, // the hashes must not depend on where packages really are
    format: 'esm',
    splitting: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    // The pages read files by what is written for Node.js.
    alias: Object.fromEntries(NODE_MODULES.map((name) => [name, NODE_STAND_INS])),
    inject: [NODE_STAND_INS],
  });
  return new Map(
    outputFiles.map(({ path, text }) => {
      const name = basename(path);
      return [name, toAsset(CONTENT_TYPES[name.split('.').at(-1) ?? ''] ?? '', text, true)];
    }),
  );
}

/** All addresses begin at the root, because the page is served at many paths. */
function toPage({ icon, style, script }: Readonly<Record<'icon' | 'style' | 'script', string>>): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Console</title>
<link rel="icon" type="image/svg+xml" href="/console/assets/${icon}">
<link rel="stylesheet" href="/console/assets/${style}">
<script type="module" src="/console/assets/${script}"></script>
</head>
<body>
<div id="app"></div>
<noscript>The console needs JavaScript.</noscript>
</body>
</html>
`;
}
