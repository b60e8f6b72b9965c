/** `npm run openapi`: writes `openapi.json`. npm runs the program in the project's folder. */
import { readFileSync, writeFileSync } from 'node:fs';
import { openApiDocument } from './document';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
writeFileSync('openapi.json', openApiDocument(version));
