/** Reads Terraform's language: https://developer.hashicorp.com/terraform/language/syntax/configuration */
import type { Block, Body, Expression, For } from './syntax';
import { EACH } from './syntax';

/** The operators of two operands, those that bind weakest first; longer ones before those they begin with. */
const OPERATORS = [['||'], ['&&'], ['==', '!='], ['<=', '>=', '<', '>'], ['+', '-'], ['*', '/', '%']] as const;

const NAME = /[A-Za-z_][A-Za-z0-9_-]*/y;
const NUMBER = /\d+(\.\d+)?/y;
const HEREDOC = /<<(-?)(\w+)\n/y;

const ESCAPED: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '"': '"', '\\': '\\' };

/** @throws SyntaxError that names the file and the line */
export function parse(text: string, file: string): Body {
  return new Parser(text, file).whole();
}

class Parser {
  private at = 0;
  /** Within brackets an expression goes on in the next line. */
  private isBracketed = false;

  constructor(
    private readonly text: string,
    private readonly file: string,
  ) {}

  whole(): Body {
    const body = this.body();
    if (this.at < this.text.length) this.fail('a block or an attribute');
    return body;
  }

  private body(): Body {
    const attributes = new Map<string, Expression>();
    const blocks: Block[] = [];
    for (;;) {
      this.blanks(true);
      const name = this.take(NAME);
      if (name === undefined) return { attributes, blocks };
      this.blanks();
      if (this.eat('=')) attributes.set(name, this.expression());
      else blocks.push(this.block(name));
    }
  }

  private block(type: string): Block {
    const labels: string[] = [];
    for (;;) {
      this.blanks();
      const label = this.text[this.at] === '"' ? this.literal() : this.take(NAME);
      if (label === undefined) break;
      labels.push(label);
    }
    this.expect('{');
    const body = this.body();
    this.expect('}');
    return { type, labels, body };
  }

  private literal(): string {
    const expression = this.primary();
    if (expression.kind !== 'value' || typeof expression.value !== 'string') return this.fail('a text');
    return expression.value;
  }

  private expression(): Expression {
    const condition = this.operation(0);
    if (!this.eat('?')) return condition;
    const then = this.expression();
    this.expect(':');
    return { kind: 'choice', if: condition, then, else: this.expression() };
  }

  private operation(level: number): Expression {
    const operators = OPERATORS[level];
    if (!operators) return this.unary();
    let left = this.operation(level + 1);
    for (;;) {
      const operator = operators.find((candidate) => this.eat(candidate));
      if (operator === undefined) return left;
      left = { kind: 'operation', operator, operands: [left, this.operation(level + 1)] };
    }
  }

  private unary(): Expression {
    const operator = ['!', '-'].find((candidate) => this.eat(candidate));
    return operator === undefined ? this.path() : { kind: 'operation', operator, operands: [this.unary()] };
  }

  /** What an expression begins with, and the names and brackets behind it. */
  private path(): Expression {
    return this.rest(this.primary());
  }

  private rest(start: Expression): Expression {
    let expression = start;
    for (;;) {
      if (this.eat('[*]')) {
        return { kind: 'splat', of: expression, each: this.rest({ kind: 'name', name: EACH }) };
      }
      if (this.text[this.at] === '.' && this.text[this.at + 1] !== '.') {
        this.at += 1;
        const name = this.take(NAME) ?? this.fail('a name');
        expression = { kind: 'element', of: expression, key: { kind: 'value', value: name } };
      } else if (this.eat('[')) {
        const key = this.bracketed(() => this.expression());
        this.expect(']');
        expression = { kind: 'element', of: expression, key };
      } else return expression;
    }
  }

  private primary(): Expression {
    this.blanks();
    const number = this.take(NUMBER);
    if (number !== undefined) return { kind: 'value', value: Number(number) };
    if (this.eat('"')) return this.template('"');
    if (this.text.startsWith('<<', this.at)) return this.heredoc();
    if (this.eat('(')) return this.closed(')', () => this.expression());
    if (this.eat('[')) return this.closed(']', () => this.listOrFor());
    if (this.eat('{')) return this.objectOrFor();
    const name = this.take(NAME) ?? this.fail('an expression');
    if (name === 'true' || name === 'false') return { kind: 'value', value: name === 'true' };
    if (name === 'null') return { kind: 'value', value: null };
    return this.text[this.at] === '(' ? this.call(name) : { kind: 'name', name };
  }

  private call(name: string): Expression {
    this.at += 1;
    return this.closed(')', () => {
      const args = this.items(')');
      return { kind: 'call', name, args, isSpread: this.eat('...') };
    });
  }

  private listOrFor(): Expression {
    const loop = this.loop();
    return loop ?? { kind: 'list', items: this.items(']') };
  }

  private items(end: string): Expression[] {
    const items: Expression[] = [];
    for (;;) {
      this.blanks();
      if (this.text.startsWith(end, this.at)) return items;
      items.push(this.expression());
      if (!this.eat(',')) return items;
    }
  }

  private objectOrFor(): Expression {
    const loop = this.bracketed(() => this.loop());
    if (loop) {
      this.bracketed(() => this.expect('}'));
      return loop;
    }
    const entries: (readonly [Expression, Expression])[] = [];
    for (;;) {
      this.blanks(true);
      if (this.eat('}')) return { kind: 'object', entries };
      const name = this.take(NAME);
      const key: Expression = name === undefined ? this.unbracketed(() => this.path()) : { kind: 'value', value: name };
      if (!this.eat('=')) this.expect(':');
      entries.push([key, this.unbracketed(() => this.expression())]);
      this.eat(',');
    }
  }

  /** Undefined: what comes is no `for`. */
  private loop(): For | undefined {
    this.blanks();
    if (!/^for\s/.test(this.text.slice(this.at, this.at + 4))) return undefined;
    this.at += 3;
    const names: string[] = [];
    do {
      this.blanks();
      names.push(this.take(NAME) ?? this.fail('a name'));
    } while (this.eat(','));
    this.blanks();
    if (this.take(NAME) !== 'in') this.fail('in');
    const source = this.expression();
    this.expect(':');
    const first = this.expression();
    const value = this.eat('=>') ? this.expression() : undefined;
    this.blanks();
    const condition = this.eat('if') ? this.expression() : undefined;
    return {
      kind: 'for',
      names,
      in: source,
      ...(value && { key: first }),
      value: value ?? first,
      ...(condition && { if: condition }),
    };
  }

  /** A text up to its end, with expressions in `${…}`. */
  private template(end: string): Expression {
    const parts: Expression[] = [];
    let text = '';
    const flush = () => {
      if (text !== '') parts.push({ kind: 'value', value: text });
      text = '';
    };
    for (;;) {
      const next = this.text[this.at];
      if (next === undefined && end !== '') this.fail(end);
      if (next === undefined || next === end) break;
      if (this.text.startsWith('$${', this.at)) {
        text += '${';
        this.at += 3;
      } else if (this.text.startsWith('${', this.at)) {
        this.at += 2;
        flush();
        parts.push(this.closed('}', () => this.expression()));
      } else if (next === '\\' && end !== '') {
        text += ESCAPED[this.text[this.at + 1] ?? ''] ?? this.fail('a character that may be escaped');
        this.at += 2;
      } else {
        text += next;
        this.at += 1;
      }
    }
    this.at += end.length;
    flush();
    const [only = { kind: 'value', value: '' } as const, ...others] = parts;
    return others.length === 0 && only.kind === 'value' ? only : { kind: 'template', parts };
  }

  /** The lines up to its name; with `<<-` less the blanks that all of them begin with. */
  private heredoc(): Expression {
    HEREDOC.lastIndex = this.at;
    const [head = '', dash, name] = HEREDOC.exec(this.text) ?? this.fail('the name of a text');
    this.at += head.length;
    const rest = this.text.slice(this.at).split('\n');
    const end = rest.findIndex((line) => line.trim() === name);
    if (end < 0) this.fail(name ?? '');
    const lines = rest.slice(0, end);
    this.at += [...lines, rest[end]].join('\n').length;
    const indents = lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/));
    const indent = dash === '-' ? Math.min(...indents) : 0;
    return new Parser(`${lines.map((line) => line.slice(indent)).join('\n')}\n`, this.file).template('');
  }

  private closed<T>(end: string, read: () => T): T {
    return this.bracketed(() => {
      const inside = read();
      this.expect(end);
      return inside;
    });
  }

  private bracketed<T>(read: () => T, isBracketed = true): T {
    const before = this.isBracketed;
    this.isBracketed = isBracketed;
    const result = read();
    this.isBracketed = before;
    return result;
  }

  /** In an object a line ends an entry. */
  private unbracketed<T>(read: () => T): T {
    return this.bracketed(read, false);
  }

  /** Goes on behind blanks and comments, and behind the ends of lines, where an expression goes on there. */
  private blanks(withLines = this.isBracketed): void {
    for (;;) {
      const next = this.text[this.at];
      if (next === ' ' || next === '\t' || next === '\r' || (withLines && next === '\n')) this.at += 1;
      else if (next === '#' || this.text.startsWith('//', this.at)) this.goTo('\n', 0);
      else if (this.text.startsWith('/*', this.at)) this.goTo('*/', 2);
      else return;
    }
  }

  private goTo(end: string, length: number): void {
    const found = this.text.indexOf(end, this.at);
    this.at = found < 0 ? this.text.length : found + length;
  }

  private take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const [found] = pattern.exec(this.text) ?? [];
    if (found !== undefined) this.at = pattern.lastIndex;
    return found;
  }

  /** Whether this comes next; it is taken then. A `=` is not the beginning of `==` or `=>`, nor `!` of `!=`. */
  private eat(token: string): boolean {
    const start = this.at;
    this.blanks();
    const isLonger = /^[=!]$/.test(token) && /^[=>]$/.test(this.text[this.at + 1] ?? '');
    if (this.text.startsWith(token, this.at) && !isLonger) {
      this.at += token.length;
      return true;
    }
    this.at = start;
    return false;
  }

  private expect(token: string): void {
    if (!this.eat(token)) this.fail(token);
  }

  private fail(expected: string): never {
    const line = this.text.slice(0, this.at).split('\n').length;
    throw new SyntaxError(`${this.file}, line ${line}: ${expected} was expected.`);
  }
}
