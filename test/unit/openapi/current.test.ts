import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocument } from '../../../functions/openapi/document';

const ROOT = join(__dirname, '../../..');
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };

it('is what `npm run openapi` writes: run it after a change of the contract (R-117)', () => {
  expect(openApiDocument(version)).toBe(readFileSync(join(ROOT, 'openapi.json'), 'utf8'));
});

it('has the same bytes when it is made again (R-117)', () => {
  expect(openApiDocument(version)).toBe(openApiDocument(version));
});
