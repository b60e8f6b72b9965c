/**
 * `npm run openapi:diff`: compares `openapi.json` with the document of the last release, which is beside this folder.
 * It fails where a breaking change is not told in the changelog. npm runs the program in the project's folder.
 */
import { readFileSync } from 'node:fs';
import type { ComparedDocument } from './breaking-change';
import { announcedBreaks } from './changelog';
import { ownComparison } from './own-comparison';
import { redoclyDiff } from './redocly-diff';

const FILES = ['functions/openapi/released/openapi.json', 'openapi.json'] as const;

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as ComparedDocument;
const documents = [read(FILES[0]), read(FILES[1])] as const;
const changes = [...redoclyDiff(FILES, documents), ...ownComparison(...documents)];
const announced = announcedBreaks(readFileSync('CHANGELOG.md', 'utf8'));

for (const { subject, message } of changes) {
  const isTold = announced.has(subject);
  if (!isTold) process.exitCode = 1;
  process.stdout.write(`${isTold ? 'told    ' : 'NOT TOLD'} ${subject}: ${message}\n`);
}
const advice = 'Write `- **Breaking:** …` with these names in ticks into the first section of CHANGELOG.md.\n';
if (process.exitCode === 1) process.stderr.write(advice);
