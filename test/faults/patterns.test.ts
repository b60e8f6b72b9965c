/** Promise: no regular expression can be made slow by what somebody sends. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkSync } from 'recheck';
import ts from 'typescript';
import { FAULTS_SEED, report } from './tier';

const ROOT = join(__dirname, '../..');
const FOLDERS = ['shared', 'functions'];
/** Time for one pattern. */
const CHECK_MS = 20_000;

interface Pattern {
  readonly position: string;
  readonly source: string;
  readonly flags: string;
}

/** Every regular expression of the deployed code. @throws Error for one that is put together at run time. */
function findPatterns(): Pattern[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => patternsOf(join(folder, name))),
  );
}

function patternsOf(file: string): Pattern[] {
  const source = ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest, true);
  const patterns: Pattern[] = [];
  const visit = (node: ts.Node): void => {
    const position = `${file}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      patterns.push({ position, source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
    }
    const isMade = (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp';
    if (isMade) throw new Error(`${position}: a regular expression that cannot be checked. Write it as a literal.`);
    // JSON Schema's own.
    if (ts.isPropertyAssignment(node) && /^['"]?pattern['"]?$/.test(node.name.getText())) {
      if (ts.isStringLiteralLike(node.initializer))
        patterns.push({ position, source: node.initializer.text, flags: 'u' });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return patterns;
}

/** Every pattern of the document, which tools run on what they send. */
function documentPatterns(): Pattern[] {
  const patterns: Pattern[] = [];
  JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8'), (name, value: unknown) => {
    if (name === 'pattern') patterns.push({ position: 'openapi.json', source: String(value), flags: 'u' });
    return value;
  });
  return [...new Map(patterns.map((pattern) => [pattern.source, pattern])).values()];
}

beforeAll(() => {
  process.env.RECHECK_BACKEND = 'pure'; // needs neither Java nor a program of its own
});

it('recognises a slow pattern', () => {
  expect(checkSync('^(a+)+$', '', { timeout: CHECK_MS, randomSeed: FAULTS_SEED }).status).toBe('vulnerable');
});

it('finds none in the deployed code, and none in openapi.json', () => {
  const patterns = [...findPatterns(), ...documentPatterns()];
  const slow = patterns.flatMap(({ position, source, flags }) => {
    const { status } = checkSync(source, flags, { timeout: CHECK_MS, randomSeed: FAULTS_SEED });
    return status === 'safe' ? [] : [`${position} /${source}/${flags} is ${status}`];
  });
  report('no regular expression can be made slow', patterns.length, slow.length);
  expect(patterns.length).toBeGreaterThan(0);
  expect(slow).toEqual([]);
});
