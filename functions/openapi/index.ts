/** `npm run openapi`: writes `openapi.json` and its tables in `docs/`. npm runs the program in the project's folder. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocument } from './document';
import type { ApiDocument } from './pages/document';
import { withTables } from './pages/pages';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
const text = openApiDocument(version);
writeFileSync('openapi.json', text);

const document = JSON.parse(text) as ApiDocument;
for (const file of readdirSync('docs').filter((name) => name.endsWith('.md'))) {
  const page = join('docs', file);
  writeFileSync(page, withTables(readFileSync(page, 'utf8'), document));
}
