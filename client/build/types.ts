/** `npm run client:types`: writes `client/src/contract.ts`. npm runs the program in the project's folder. */
import type { OpenAPI3 } from 'openapi-typescript';
import { readFileSync, writeFileSync } from 'node:fs';
import { clientContract } from './contract';

void clientContract(JSON.parse(readFileSync('openapi.json', 'utf8')) as OpenAPI3).then((text) =>
  writeFileSync('client/src/contract.ts', text),
);
