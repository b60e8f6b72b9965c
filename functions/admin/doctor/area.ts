import { isDeepStrictEqual } from 'node:util';
import { CannotLook } from '../../../shared/adapters/google-apis';
import { isKnown } from './terraform/evaluate';
import type { Value } from './terraform/syntax';

/** `unknown`: it could not be looked at. */
export type Verdict = 'well' | 'wrong' | 'unknown';

export interface Finding {
  readonly area: string;
  readonly verdict: Verdict;
  readonly what: string;
  /** A command, a variable of Terraform, or what else mends it. */
  readonly remedy?: string;
}

/** A setting of something: what Terraform sets, and what there is. Absent: none. */
export type Setting = readonly [name: string, expected: Value | undefined, actual: unknown];

/** What is found in one area. */
export class Area {
  private readonly found: Finding[] = [];

  constructor(readonly name: string) {}

  /** What was found, each thing once; that all is well where nothing was. */
  findings(well: string): readonly Finding[] {
    return this.found.length > 0 ? this.found : [{ area: this.name, verdict: 'well', what: well }];
  }

  wrong(what: string, remedy: string): void {
    this.found.push({ area: this.name, verdict: 'wrong', what, remedy });
  }

  /** A finding that something could not be looked at. @param reason without a full stop */
  unknown(what: string, reason: string): void {
    const finding: Finding = {
      area: this.name,
      verdict: 'unknown',
      what: `Could not look at ${what}: ${reason}.`,
      remedy: 'docs/operating.md, "Something is wrong", has the roles that doctor needs',
    };
    if (!this.found.some((before) => isDeepStrictEqual(before, finding))) this.found.push(finding);
  }

  /** What `find` finds; null: it could not be looked at, which is a finding. */
  async look<T>(what: string, find: () => Promise<T>): Promise<T | null> {
    try {
      return await find();
    } catch (error) {
      if (!(error instanceof CannotLook)) throw error;
      this.unknown(what, error.message);
      return null;
    }
  }

  /** A finding for each setting that differs. What Terraform itself does not know yet is not compared. */
  compare(subject: string, settings: readonly Setting[], remedy: string): void {
    for (const [name, expected, actual] of settings) {
      if (expected !== undefined && !isKnown(expected)) continue;
      const [is, shouldBe] = [toText(actual), toText(expected)];
      if (is !== shouldBe) this.wrong(`${subject} has ${name} ${is} in place of ${shouldBe}.`, remedy);
    }
  }
}

function toText(value: unknown): string {
  if (value === undefined || value === null || value === '') return 'none';
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean);
}
