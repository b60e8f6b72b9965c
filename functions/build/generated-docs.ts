import type { Plugin } from 'esbuild';
import type { Assets } from '../docs/asset';
import { makeAssets } from '../docs/site/make-assets';

const REPLACED = /[/\\]functions[/\\]docs[/\\]assets\.ts$/;

/** Replaces what makes the files of the reference by the files themselves. So the function only sends bytes. */
export const generatedDocs: Plugin = {
  name: 'generated-docs',
  setup(build) {
    const root = build.initialOptions.absWorkingDir ?? '';
    build.onLoad({ filter: REPLACED }, () => ({ contents: toModule(makeAssets(root)), loader: 'js' }));
  },
};

/** The source of a module with the exports of `functions/docs/assets.ts`. */
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
