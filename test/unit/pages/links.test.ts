/** Each link of the project's Markdown to a file or a heading leads there. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { PAGES, readPage, ROOT } from './pages';

const SKIPPED = new Set(['node_modules', '.git', 'dist', '.local']);

/** All Markdown files of a folder and the folders in it. */
function markdownIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : markdownIn(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

/** A text without what is code, where nothing is a link or a heading. */
const withoutCode = (text: string) => text.replace(/^```[^]*?^```$/gm, '');

/** The anchors of a file's headings, as GitHub makes them: the second of one name ends in `-1`. */
function anchorsOf(file: string): Set<string> {
  const seen = new Map<string, number>();
  const anchors = [...withoutCode(readFileSync(file, 'utf8')).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => {
    const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = text.replace(/[^\p{L}\p{N}_\- ]/gu, '').replaceAll(' ', '-');
    const times = seen.get(anchor) ?? 0;
    seen.set(anchor, times + 1);
    return times === 0 ? anchor : `${anchor}-${times}`;
  });
  return new Set(anchors);
}

/** The links of a file that lead nowhere. */
function brokenLinks(file: string): string[] {
  const text = withoutCode(readFileSync(file, 'utf8')).replace(/`[^`\n]*`/g, '``');
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [path = '', anchor] = target.split('#');
    const to = path === '' ? file : join(dirname(file), path);
    if (!existsSync(to)) return true;
    return anchor !== undefined && !(to.endsWith('.md') && anchorsOf(to).has(anchor));
  });
}

const FILES = markdownIn(ROOT).map((file) => relative(ROOT, file));

it('has files to look at', () => {
  expect(FILES).toEqual(
    expect.arrayContaining(['README.md', 'docs/api.md', 'shared/README.md', 'terraform/README.md']),
  );
});

it.each(FILES)('%s links to what is there', (file) => {
  expect(brokenLinks(join(ROOT, file))).toEqual([]);
});

it('leads from the README to each page', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  expect(PAGES.filter((name) => !readme.includes(`(docs/${name}`))).toEqual([]);
});

it('keeps the README below 12 KB', () => {
  expect(Buffer.byteLength(readFileSync(join(ROOT, 'README.md')))).toBeLessThan(12 * 1024);
});

it.each(PAGES)('%s says first for whom it is', (name) => {
  expect(readPage(name)).toMatch(/^# .+\n\nThis page is for \S/);
});
