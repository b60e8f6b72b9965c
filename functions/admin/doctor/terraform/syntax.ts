/** What a file of Terraform's language consists of, as far as this project uses it. */

export type Value = string | number | boolean | null | readonly Value[] | { readonly [name: string]: Value };

export type Expression =
  | { readonly kind: 'value'; readonly value: Value }
  /** A text with expressions in it. */
  | { readonly kind: 'template'; readonly parts: readonly Expression[] }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'element'; readonly of: Expression; readonly key: Expression }
  /** `of[*]`, and what follows it, of each element in place of `EACH`. */
  | { readonly kind: 'splat'; readonly of: Expression; readonly each: Expression }
  /** `isSpread`: the last argument is a list of arguments. */
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[]; readonly isSpread: boolean }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [key: Expression, value: Expression])[] }
  | For
  | { readonly kind: 'operation'; readonly operator: string; readonly operands: readonly Expression[] }
  | { readonly kind: 'choice'; readonly if: Expression; readonly then: Expression; readonly else: Expression };

export interface For {
  readonly kind: 'for';
  /** The names of an element, the last one, and of its key. */
  readonly names: readonly string[];
  readonly in: Expression;
  /** Of an object; absent: the result is a list. */
  readonly key?: Expression;
  readonly value: Expression;
  readonly if?: Expression;
}

/** The name that stands for an element in a splat. */
export const EACH = '[*]';

export interface Body {
  readonly attributes: ReadonlyMap<string, Expression>;
  readonly blocks: readonly Block[];
}

export interface Block {
  readonly type: string;
  readonly labels: readonly string[];
  readonly body: Body;
}
