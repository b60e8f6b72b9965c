/**
 * Makes the files of the reference: the page, what it loads, and the document. The same sources give the same bytes.
 */
import { buildSync } from 'esbuild';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Assets } from '../../../shared/http/assets/asset';
import { FOR_BROWSERS, toAsset, versionOf } from '../../build/browser/asset';
import type { OpenApiDocument } from './document';
import { toPage } from './page';

/** @param root the project's folder */
export function makeAssets(root: string): Assets {
  const folder = join(root, 'functions/docs/site');
  const document = served(readFileSync(join(root, 'openapi.json'), 'utf8'));
  const { code: style } = bundle(root, join(folder, 'style/main.css'));
  const { code: script } = bundle(root, join(folder, 'browser/main.ts'));
  const icon = readFileSync(join(folder, 'icon.svg'), 'utf8');
  const named = { style: `style-${versionOf(style)}.css`, script: `script-${versionOf(script)}.js` };
  return new Map([
    ['', toAsset('text/html; charset=utf-8', toPage(document, named))],
    ['openapi.json', toAsset('application/json', `${JSON.stringify(document, null, 2)}\n`)],
    // Without aliases, which some readers do not know.
    ['openapi.yaml', toAsset('application/yaml', stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 }))],
    [named.style, toAsset('text/css; charset=utf-8', style, true)],
    [named.script, toAsset('text/javascript; charset=utf-8', script, true)],
    ['icon.svg', toAsset('image/svg+xml', icon)],
  ]);
}

/** The document as it is served: its server is the one that it comes from. */
function served(text: string): OpenApiDocument {
  const document = JSON.parse(text) as OpenApiDocument;
  return { ...document, servers: [{ url: '/', description: 'The server that this document comes from.' }] };
}

function bundle(root: string, entry: string): { readonly code: string } {
  const { outputFiles } = buildSync({ ...FOR_BROWSERS, absWorkingDir: root, entryPoints: [entry], format: 'iife' });
  return { code: outputFiles[0]?.text ?? '' };
}
