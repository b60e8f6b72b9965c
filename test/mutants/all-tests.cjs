/** All tests in one file: each mutant loads the code once, and not once for each file that needs it. */
const { readdirSync } = require('node:fs');
const { join } = require('node:path');

const FOLDERS = ['support', 'unit/support', 'unit/domain', 'unit/auth', 'unit/validation'];

for (const folder of FOLDERS) {
  const path = join(__dirname, '..', folder);
  const files = readdirSync(path, { recursive: true }).filter((file) => file.endsWith('.test.ts'));
  for (const file of files.sort()) describe(`${folder}/${file}`, () => void require(join(path, file)));
}
