/** The blocks of the pages run as they stand, block after block in one shell, and print what the pages show. */
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildClient } from '../../client/build/build';
import type { RunningStack } from '../support/running-stack';
import { command, runStack } from '../support/running-stack';

jest.setTimeout(180_000);

const ROOT = join(__dirname, '../..');

/** Between the outputs of two blocks. */
const MARK = '=== next block ===';

/** A block of a page that is run, and what the page shows of its output. */
interface Block {
  readonly script: string;
  /** The last answers that it prints. */
  readonly answers: unknown[];
  /** The last lines of a table that it prints. */
  readonly table: string[];
}

/** The blocks of a text, in their order. @throws Error for one that is neither run nor shown as an output */
function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  for (const [, language, content = ''] of text.matchAll(/^```(\w+)\n([^]*?)^```$/gm)) {
    if (language === 'sh') blocks.push({ script: content, answers: [], table: [] });
    else if (language === 'js') blocks.push({ script: asProgram(content), answers: [], table: [] });
    else if (language === 'json') blocks.at(-1)?.answers.push(JSON.parse(content));
    else if (language === 'csv') blocks.at(-1)?.table.push(...linesOf(content));
    else throw new Error(`A block of ${language} is not run.`);
  }
  return blocks;
}

/** The script that runs a block of JavaScript as a module. */
const asProgram = (module: string) => `node --input-type=module << 'END_OF_MODULE'\n${module}END_OF_MODULE\n`;

const linesOf = (text: string) => text.split(/\r?\n/).filter((line) => line !== '');

/** The folder of the built client, as its tarball has it. */
const clientFolder = mkdtempSync(join(tmpdir(), 'pages-client-'));
beforeAll(async () => {
  await buildClient(join(ROOT, 'client'), join(clientFolder, 'dist'));
  copyFileSync(join(ROOT, 'client/package.json'), join(clientFolder, 'package.json'));
  chmodSync(join(clientFolder, 'dist/ingest.cjs'), 0o755);
});
afterAll(() => rmSync(clientFolder, { recursive: true }));

/** What each block prints, with the stack's addresses in place of those of the pages. */
async function outputsOf(blocks: readonly Block[], stack: RunningStack): Promise<string[]> {
  const key = /x-service-auth-key: ([^']+)/.exec(stack.output)?.[1] ?? '';
  const folder = dirname(stack.configFile);
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
  symlinkSync(clientFolder, join(folder, 'node_modules/data-ingestion-client'));
  symlinkSync(join(clientFolder, 'dist/ingest.cjs'), join(folder, 'node_modules/.bin/ingest'));
  mkdirSync(join(folder, '.local'), { recursive: true }); // the stack keeps its key there
  symlinkSync(join(folder, 'buckets'), join(folder, '.local/buckets'));
  const script = blocks
    .map((block) => `${block.script}printf '\\n%s\\n' '${MARK}'\n`)
    .join('')
    .replaceAll('http://127.0.0.1:8080', stack.baseUrl)
    .replaceAll('the key that npm start printed', key)
    .replaceAll(
      'npm run --silent admin --',
      `npm --prefix '${ROOT}' run --silent admin -- --config '${stack.configFile}'`,
    );
  const { code, stdout, stderr } = await command('bash', ['-c', `cd '${folder}'\nset -eu\n${script}`]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.split(`${MARK}\n`);
}

/** The answers in an output: each is a line of JSON. */
const answersIn = (output: string) =>
  linesOf(output).flatMap((line) => (/^[{[]/.test(line) ? [JSON.parse(line) as unknown] : []));

/** What differs from run to run: times, and ids that are drawn. */
const DRAWN = [/^\d{4}-\d\d-\d\dT[\d:.]+Z$/, /^\d{17}-[\w-]+$/, /^[0-9a-f]{32}$/, /^\d{16}$/];

/** What an output must be equal to. In a page `…` stands for members, or the end of a text, that it leaves out. */
function expected(shown: unknown): unknown {
  if (Array.isArray(shown)) return shown.map(expected);
  if (typeof shown === 'string') {
    const drawn = DRAWN.find((pattern) => pattern.test(shown));
    if (drawn) return expect.stringMatching(drawn);
    return shown.endsWith('…') ? expect.stringMatching(RegExp(`^${shown.slice(0, -1)}.`)) : shown;
  }
  if (typeof shown !== 'object' || shown === null) return shown;
  const members = Object.entries(shown).filter(([name]) => name !== '…');
  const object = Object.fromEntries(members.map(([name, member]) => [name, expected(member)]));
  return '…' in shown ? expect.objectContaining(object) : object;
}

/** The part of the README that needs a running stack. */
const afterStart = (readme: string) => readme.slice(readme.indexOf('## First request'));

const whole = (page: string) => page;

const PAGES: readonly (readonly [file: string, part: (page: string) => string])[] = [
  ['README.md', afterStart],
  ['docs/sending-data.md', whole],
  ['docs/files.md', whole],
  ['docs/deletions-and-consents.md', whole],
];

describe.each(PAGES)('%s', (file, part) => {
  const blocks = blocksOf(part(readFileSync(join(ROOT, file), 'utf8')));
  let stack: RunningStack;
  let runs: readonly { readonly block: Block; readonly output: string }[];

  beforeAll(async () => {
    stack = await runStack();
    const outputs = await outputsOf(blocks, stack);
    runs = blocks.map((block, index) => ({ block, output: outputs[index] ?? '' }));
  });
  afterAll(async () => {
    await stack.stop();
  });

  it('shows what its blocks print', () => {
    const shows = ({ answers, table }: Block) => answers.length + table.length > 0;
    const shown = runs.filter(({ block }) => shows(block));
    expect(shown.length).toBeGreaterThan(2);
    expect(
      shown.map(({ block: { script, answers, table }, output }) => ({
        script,
        answers: answersIn(output).slice(-answers.length || Infinity),
        table: linesOf(output).slice(-table.length || Infinity),
      })),
    ).toEqual(shown.map(({ block }) => ({ ...block, answers: block.answers.map(expected) })));
  });

  it('shows an answer of each block that gets one', () => {
    const silent = runs.filter(({ block, output }) => answersIn(output).length > 0 && block.answers.length === 0);
    expect(silent).toEqual([]);
  });

  it('is refused nothing but what it shows', () => {
    const refused = runs.flatMap(({ block: { script, answers }, output }) =>
      answersIn(output)
        .slice(0, -answers.length || Infinity)
        .filter((answer) => !isSuccess(answer))
        .map((answer) => ({ script, answer })),
    );
    expect(refused).toEqual([]);
  });
});

/** The envelope of a refusal says so, and a validation error has none. */
function isSuccess(answer: unknown): boolean {
  const { success, Success, title } = answer as { success?: boolean; Success?: boolean; title?: string };
  return success !== false && Success !== false && title === undefined;
}
