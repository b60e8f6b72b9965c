import type { GoogleApis, Json } from '../../../shared/adapters/google-apis';
import type { Clock } from '../../../shared/platform/clock';
import type { Area } from './area';
import type { Value } from './terraform/syntax';
import type { Module, Values } from './terraform/module';

/** What is examined. */
export interface Subject {
  readonly project: string;
  /** What there should be. */
  readonly expected: Module;
  /** The functions that there are; null: they could not be listed. */
  readonly functions: readonly Json[] | null;
  readonly google: GoogleApis;
  readonly clock: Clock;
  /** The command that makes things as Terraform has them. */
  readonly apply: string;
}

/** Looks at an area, and resolves with the sentence that tells that all is well there. */
export type Check = (subject: Subject, area: Area) => Promise<string>;

/** A field of an answer, also within others, such as `retryPolicy.minimumBackoff`. Undefined: there is none. */
export function fieldOf(answer: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (value as Json | null | undefined)?.[name], answer);
}

/** What is in a block of Terraform that may be there once; nothing where it is not. */
export function blockOf(blocks: Value | undefined): Values {
  return ((blocks ?? []) as readonly Values[])[0] ?? {};
}

/** The last part of a name such as `projects/p/topics/deletions`. */
export function lastOf(name: unknown): string {
  return String(name).split('/').at(-1) ?? '';
}
