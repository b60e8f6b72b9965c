/** What expressions of Terraform's language come to. */
import { isDeepStrictEqual } from 'node:util';
import type { Functions } from './functions';
import { found, toText } from './functions';
import type { Body, Expression, For, Value } from './syntax';
import { EACH } from './syntax';

/** What names stand for. */
export interface Scope {
  /** Undefined: the name is not known here. */
  readonly find: (name: string) => Value | undefined;
  readonly functions: Functions;
}

/** What stands for a value, or in a text, that only Google knows. */
export const UNKNOWN = '(known after apply)';

/** Whether a value, and all that is in it, is known. */
export function isKnown(value: Value): boolean {
  if (typeof value === 'string') return !value.includes(UNKNOWN);
  return typeof value !== 'object' || value === null || Object.values(value).every(isKnown);
}

/** An object whose values are found when they are asked for, once: what nobody asks for need not be understood. */
export function lazily(values: Iterable<readonly [string, () => Value]>): { readonly [name: string]: Value } {
  const object = {};
  for (const [name, find] of values) {
    const get = () => {
      const value = find();
      Object.defineProperty(object, name, { value, enumerable: true });
      return value;
    };
    Object.defineProperty(object, name, { get, enumerable: true, configurable: true });
  }
  return object;
}

/** A scope with further names. */
export function within({ find, functions }: Scope, names: Readonly<Record<string, Value>>): Scope {
  return { find: (name) => (Object.hasOwn(names, name) ? names[name] : find(name)), functions };
}

/** The attributes of a body, and its blocks as lists by their type. */
export function evaluateBody({ attributes, blocks }: Body, scope: Scope): { readonly [name: string]: Value } {
  const blocksOf = (type: string) =>
    blocks.flatMap((block) => {
      if (block.type === type) return [evaluateBody(block.body, scope)];
      return block.type === 'dynamic' && block.labels[0] === type ? dynamicBlocks(type, block.body, scope) : [];
    });
  const types = new Set(blocks.map(({ type, labels: [label = ''] }) => (type === 'dynamic' ? label : type)));
  return lazily([
    ...[...attributes].map(([name, expression]) => [name, () => evaluate(expression, scope)] as const),
    ...[...types].map((type) => [type, () => blocksOf(type)] as const),
  ]);
}

function dynamicBlocks(type: string, { attributes, blocks }: Body, scope: Scope): Value[] {
  const content = blocks.find((block) => block.type === 'content');
  const source = attributes.get('for_each');
  if (!content || !source) throw new Error(`A dynamic block ${type} needs for_each and content.`);
  return elementsOf(evaluate(source, scope)).map(([key, value]) =>
    evaluateBody(content.body, within(scope, { [type]: { key, value } })),
  );
}

/** @throws Error when it has no value, as where an element of null is asked for */
export function evaluate(expression: Expression, scope: Scope): Value {
  switch (expression.kind) {
    case 'value':
      return expression.value;
    case 'template': {
      const parts = expression.parts.map((part) => evaluate(part, scope));
      return parts.length === 1 ? (parts[0] ?? null) : parts.map(toText).join('');
    }
    case 'name': {
      const value = scope.find(expression.name);
      if (value === undefined) throw new Error(`There is no ${expression.name}.`);
      return value;
    }
    case 'element':
      return elementAt(evaluate(expression.of, scope), evaluate(expression.key, scope));
    case 'splat': {
      const of = evaluate(expression.of, scope);
      const list = isList(of) ? of : of === null ? [] : [of];
      return list.map((value) => evaluate(expression.each, within(scope, { [EACH]: value })));
    }
    case 'call':
      return call(expression, scope);
    case 'list':
      return expression.items.map((item) => evaluate(item, scope));
    case 'object':
      return lazily(
        expression.entries.map(([key, value]) => [toText(evaluate(key, scope)), () => evaluate(value, scope)]),
      );
    case 'for':
      return loop(expression, scope);
    case 'operation':
      return operate(expression.operator, expression.operands, scope);
    case 'choice':
      return evaluate(evaluate(expression.if, scope) === true ? expression.then : expression.else, scope);
  }
}

function call({ name, args, isSpread }: Extract<Expression, { kind: 'call' }>, scope: Scope): Value {
  if (name === 'try') return firstOf(args, scope);
  if (name === 'can') return attempt(() => evaluate(found(args[0]), scope)) !== undefined;
  const values = args.map((arg) => evaluate(arg, scope));
  const last = values.at(-1);
  const given = isSpread && isList(last) ? [...values.slice(0, -1), ...last] : values;
  const applied = scope.functions[name];
  if (!applied) throw new Error(`There is no function ${name}.`);
  return applied(...given);
}

function firstOf(args: readonly Expression[], scope: Scope): Value {
  for (const arg of args) {
    const value = attempt(() => evaluate(arg, scope));
    if (value !== undefined) return value;
  }
  throw new Error('None of the expressions has a value.');
}

function attempt(find: () => Value): Value | undefined {
  try {
    return find();
  } catch {
    return undefined;
  }
}

function loop({ names, in: source, key, value, if: condition }: For, scope: Scope): Value {
  const results: [string, Value][] = [];
  const [first = '', last = first] = names;
  for (const [elementKey, element] of elementsOf(evaluate(source, scope))) {
    const inner = within(scope, { [first]: elementKey, [last]: element });
    if (condition && evaluate(condition, inner) !== true) continue;
    results.push([key ? toText(evaluate(key, inner)) : '', evaluate(value, inner)]);
  }
  return key ? Object.fromEntries(results) : results.map(([, each]) => each);
}

/** Keys and values of an object, positions and items of a list. */
export function elementsOf(value: Value): readonly (readonly [key: string | number, value: Value])[] {
  if (isList(value)) return value.map((item, index) => [index, item]);
  if (isObject(value)) return Object.entries(value);
  throw new Error('It is no list or object.');
}

function elementAt(of: Value, key: Value | undefined): Value {
  const name = toText(key);
  const isThere = typeof of === 'object' && of !== null && Object.hasOwn(of, name);
  if (!isThere) throw new Error(`There is no element ${name}.`);
  return found((of as Readonly<Record<string, Value>>)[name]);
}

function operate(operator: string, operands: readonly Expression[], scope: Scope): Value {
  const [first, second] = operands;
  const left = evaluate(found(first), scope);
  if (operator === '&&') return left === true && evaluate(found(second), scope) === true;
  if (operator === '||') return left === true || evaluate(found(second), scope) === true;
  if (!second) return operator === '!' ? left !== true : -Number(left);
  const right = evaluate(second, scope);
  const [a, b] = [Number(left), Number(right)];
  switch (operator) {
    case '==':
      return isDeepStrictEqual(left, right);
    case '!=':
      return !isDeepStrictEqual(left, right);
    case '<=':
      return a <= b;
    case '>=':
      return a >= b;
    case '<':
      return a < b;
    case '>':
      return a > b;
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    default:
      return a % b;
  }
}

function isList(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value);
}

function isObject(value: Value): value is { readonly [name: string]: Value } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
