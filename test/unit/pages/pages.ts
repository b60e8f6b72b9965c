import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(__dirname, '../../..');

/** The names of the pages of `docs/`. */
export const PAGES = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));

export const readPage = (name: string) => readFileSync(join(ROOT, 'docs', name), 'utf8');
