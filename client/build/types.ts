/** `npm run client:types`: writes `client/src/contract.ts`, or another file. npm runs it in the project's folder. */
import type { OpenAPI3 } from 'openapi-typescript';
import { readFileSync, writeFileSync } from 'node:fs';
import { clientContract } from './contract';

const [out = 'client/src/contract.ts'] = process.argv.slice(2);

clientContract(JSON.parse(readFileSync('openapi.json', 'utf8')) as OpenAPI3)
  .then((text) => writeFileSync(out, text))
  .catch((error: unknown) => {
    process.stderr.write(`The types could not be made: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
