import type { Plugin } from 'esbuild';
import type { Assets } from '../../shared/http/assets/asset';
import { makeAssets as makeConsole } from '../console/site/make-assets';
import { makeAssets as makeDocs } from '../docs/site/make-assets';

/** What makes the files of a function. */
const MAKERS: Readonly<Record<string, (root: string) => Assets>> = { console: makeConsole, docs: makeDocs };

const REPLACED = /[/\\]functions[/\\](console|docs)[/\\]assets\.ts$/;

/** Replaces what makes the files for browsers by the files themselves. So a function only sends bytes. */
export const generatedAssets: Plugin = {
  name: 'generated-assets',
  setup(build) {
    const root = build.initialOptions.absWorkingDir ?? '';
    build.onLoad({ filter: REPLACED }, ({ path }) => {
      const make = MAKERS[REPLACED.exec(path)?.[1] ?? ''];
      return make && { contents: toModule(make(root)), loader: 'js' };
    });
  },
};

/** The source of a module with the exports of `functions/<function>/assets.ts`. */
function toModule(assets: Assets): string {
  const files = [...assets].map(([path, { gzip, br, ...rest }]) => {
    const fields = JSON.stringify(rest).slice(1, -1);
    return `[${JSON.stringify(path)}, { ${fields}, gzip: bytes("${base64(gzip)}"), br: bytes("${base64(br)}") }]`;
  });
  return `const bytes = (text) => Buffer.from(text, 'base64');
const made = new Map([
${files.join(',\n')}
]);
export const assets = () => made;
`;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
