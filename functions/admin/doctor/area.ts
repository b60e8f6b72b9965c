import { isDeepStrictEqual } from 'node:util';
import { CannotLook, PermissionMissing } from '../../../shared/adapters/google-apis';
import { isKnown } from './terraform/evaluate';
import type { Value } from './terraform/syntax';

/** `unknown`: it could not be looked at. */
export type Verdict = 'ok' | 'wrong' | 'unknown';

export interface Finding {
  readonly area: string;
  readonly verdict: Verdict;
  readonly what: string;
  /** A command, a variable of Terraform, or what else mends it. */
  readonly remedy?: string;
}

/** A setting of something: what Terraform sets, and what there is. Absent: none. */
export type Setting = readonly [name: string, expected: Value | undefined, actual: unknown];

const ROLES = 'docs/operating.md, "Something is wrong", has the roles that this command needs';

/** What is found in one area. */
export class Area {
  private readonly found: Finding[] = [];

  constructor(readonly name: string) {}

  /** What was found; that all is well where nothing was. */
  findings(ok: string): readonly Finding[] {
    return this.found.length > 0 ? this.found : [{ area: this.name, verdict: 'ok', what: ok }];
  }

  wrong(what: string, remedy: string): void {
    this.found.push({ area: this.name, verdict: 'wrong', what, remedy });
  }

  /** A finding that something could not be looked at, once. @param reason without a full stop */
  unknown(what: string, reason: string, remedy?: string): void {
    const finding: Finding = {
      area: this.name,
      verdict: 'unknown',
      what: `Could not look at ${what}: ${reason}.`,
      ...(remedy !== undefined && { remedy }),
    };
    if (!this.found.some((before) => isDeepStrictEqual(before, finding))) this.found.push(finding);
  }

  /** What `find` finds; null: it could not be looked at, which is a finding. */
  async look<T>(what: string, find: () => Promise<T>): Promise<T | null> {
    try {
      return await find();
    } catch (error) {
      if (!(error instanceof CannotLook)) throw error;
      this.unknown(what, error.message, error instanceof PermissionMissing ? ROLES : undefined);
      return null;
    }
  }

  /**
   * A finding for each setting that differs, or of which it is not known what it should be.
   * @param subject such as `The subscription transfer-runner`
   */
  compare(subject: string, settings: readonly Setting[], remedy: string): void {
    for (const [name, expected, actual] of settings) {
      if (expected !== undefined && !isKnown(expected)) {
        this.unknown(`${name} of ${subject.replace(/^T/, 't')}`, 'what it should be is not known');
        continue;
      }
      const [is, shouldBe] = [toText(actual), toText(expected)];
      if (is !== shouldBe) this.wrong(`${subject} has ${name} ${is}, and should have ${shouldBe}.`, remedy);
    }
  }
}

function toText(value: unknown): string {
  if (value === undefined || value === null || value === '') return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
