import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const REGISTERS = /from '@google-cloud\/functions-framework'/;

/**
 * The names of the deployed functions, sorted: the folders in functions/ whose `index.ts` registers with the framework.
 * @param root the project's folder
 */
export function deployedFunctions(root: string): string[] {
  const folder = join(root, 'functions');
  const names = readdirSync(folder).filter((name) => {
    const entry = join(folder, name, 'index.ts');
    return existsSync(entry) && REGISTERS.test(readFileSync(entry, 'utf8'));
  });
  return names.sort();
}
