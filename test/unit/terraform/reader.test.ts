/** What `npm run doctor` reads of terraform/ must be what Terraform makes of it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readDeployment } from '../../../functions/admin/doctor/terraform/deployment';
import { evaluate, evaluateBody, isKnown, UNKNOWN } from '../../../functions/admin/doctor/terraform/evaluate';
import { FUNCTIONS, toText } from '../../../functions/admin/doctor/terraform/functions';
import { parse } from '../../../functions/admin/doctor/terraform/parse';
import type { Block, Body, Value } from '../../../functions/admin/doctor/terraform/syntax';
import { deployedFunctions } from '../../../functions/build/deployed-functions';

const ROOT = join(__dirname, '../../..');
const FOLDER = join(ROOT, 'terraform');
const URIS = new Map(deployedFunctions(ROOT).map((name) => [name, `https://${name}.a.run.app`]));
/** Where there are no names, and files have checksums that nobody asks for. */
const NOWHERE = { find: () => undefined, functions: { ...FUNCTIONS, filesha256: () => UNKNOWN } };

const blocksOf = ({ blocks }: Body, type: string): readonly Block[] => blocks.filter((block) => block.type === type);
const variablesOf = (body: Body): Readonly<Record<string, Value>> =>
  blocksOf(body, 'variables').reduce((all, { body: variables }) => ({ ...all, ...evaluateBody(variables, NOWHERE) }), {});

/** The assertions of Terraform's own tests that must hold, with the module of which they are true. */
const ASSERTIONS = ['functions', 'least-privilege', 'messaging'].flatMap((name) => {
  const file = parse(readFileSync(join(FOLDER, `tests/${name}.tftest.hcl`), 'utf8'), name);
  return blocksOf(file, 'run')
    .filter(({ body }) => !body.attributes.has('expect_failures'))
    .flatMap(({ body }) => {
      const variables = { ...variablesOf(file), ...variablesOf(body) };
      const facts = { projectNumber: '415104041262', uris: URIS, checksums: new Map<string, string>() };
      const module = readDeployment(FOLDER, variables, facts);
      return blocksOf(body, 'assert').map(({ body: { attributes } }) => ({
        message: toText(evaluate(attributes.get('error_message')!, NOWHERE)),
        holds: () => module.evaluate(attributes.get('condition')!),
      }));
    });
});

it('has the assertions of Terraform’s own tests', () => {
  expect(ASSERTIONS.length).toBeGreaterThan(35);
});

it.each(ASSERTIONS)('reads terraform/ as Terraform’s own tests do: $message (R-392)', ({ holds }) => {
  expect(holds()).toBe(true);
});

it('knows what Google knows only when it is told (R-391)', () => {
  const module = readDeployment(FOLDER, { project_id: 'shop-ingestion' }, { projectNumber: undefined, uris: URIS, checksums: new Map() });
  const grants = module.resources('google_pubsub_subscription_iam_member').map(({ member }) => isKnown(member!));
  expect(new Set(grants)).toEqual(new Set([false]));
});

describe('the language (R-392)', () => {
  const LOCALS = `
    /* A comment. */
    numbers = [1, 2.5, -3] # of three kinds
    nothing = null
    rows = {
      a = { on = true, of = ["x"] }, // one line
      b = { on = false, of = [] }
      "c-\${local.numbers[0]}" = { on = true, of = ["y", "z"] }
    }
    text = <<-EOT
      first \${local.numbers[0]}
        second
    EOT
  `;
  const scope = {
    find: (name: string): Value | undefined => (name === 'local' ? evaluateBody(parse(LOCALS, 'locals'), scope) : undefined),
    functions: FUNCTIONS,
  };
  const valueOf = (text: string) => evaluate(parse(`it = ${text}\n`, 'it').attributes.get('it')!, scope);

  it.each<[string, Value]>([
    ['1 + 2 * 3 - 4 / 2', 5],
    ['(1 + 2) * 3 % 4', 1],
    ['1 < 2 && !(2 <= 1) || false', true],
    ['local.numbers[2] == -3 ? "yes" : "no"', 'yes'],
    ['"a $${b} \\"c\\" ${local.numbers[1]}"', 'a ${b} "c" 2.5'],
    ['"${local.rows.a}"', { on: true, of: ['x'] }],
    ['local.text', 'first 1\n  second\n'],
    ['[for name, row in local.rows : name if row.on]', ['a', 'c-1']],
    ['{ for name, row in local.rows : name => length(row.of) }', { a: 1, b: 0, 'c-1': 2 }],
    ['concat([for row in local.rows : row.of]...)', ['x', 'y', 'z']],
    ['local.rows.a[*].on', [true]],
    ['local.nothing[*]', []],
    ['try(local.rows.d.on, local.nothing, "none")', null],
    ['can(local.rows.d)', false],
    ['toset(["b", "a", "b"])', ['a', 'b']],
    ['{ a = 1 } == { a = 1 }', true],
    ['[1] != [1]', false],
  ])('%s', (text, value) => {
    expect(JSON.parse(JSON.stringify(valueOf(text)))).toEqual(value);
  });

  it('repeats a block for each element', () => {
    const body = parse('dynamic "label" {\n  for_each = ["a", "b"]\n  content {\n    key = label.value\n  }\n}\n', 'file');
    expect(evaluateBody(body, scope).label).toEqual([{ key: 'a' }, { key: 'b' }]);
  });

  it.each([
    ['a = ', 'a.tf, line 1: an expression was expected.'],
    ['a = [1\n', 'a.tf, line 1: ] was expected.'],
    ['b {\n  a = "c\n', 'a.tf, line 3: " was expected.'],
    ['a = 1\n}', 'a.tf, line 2: a block or an attribute was expected.'],
  ])('names the file and the line of what it does not understand: %j', (text, message) => {
    expect(() => parse(text, 'a.tf')).toThrow(new SyntaxError(message));
  });

  it.each(['local.rows.d', 'unheard_of()', 'elsewhere.name', 'local.nothing.name'])('has no value for %s', (text) => {
    expect(() => valueOf(text)).toThrow(/There is no/);
  });
});
