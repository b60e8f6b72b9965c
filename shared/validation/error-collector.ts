import { MAX_VALIDATION_MESSAGES } from '../domain/limits';
import type { ElementErrors, ValidationErrors } from './validation-failed';
import { ValidationFailed } from './validation-failed';

/** Collects distinct messages by path, up to the bound of one answer. Beyond it, only counts violations (D-22). */
export class ErrorCollector {
  private readonly byPath = new Map<string, string[]>();
  private count = 0;
  private omitted = 0;

  /** @param limit distinct messages at most */
  constructor(private readonly limit = MAX_VALIDATION_MESSAGES) {}

  add(path: string, message: string): void {
    const messages = this.byPath.get(path) ?? [];
    if (messages.includes(message)) return;
    if (this.isFull) {
      this.omitted += 1;
      return;
    }
    this.byPath.set(path, [...messages, message]);
    this.count += 1;
  }

  /** Counts violations without their messages, because the answer is full. */
  omit(count: number): void {
    this.omitted += count;
  }

  get isEmpty(): boolean {
    return this.count === 0;
  }

  get isFull(): boolean {
    return this.count >= this.limit;
  }

  toErrors(): ValidationErrors {
    return Object.fromEntries(this.byPath);
  }

  toElementErrors(): ElementErrors {
    return {
      errors: this.toErrors(),
      ...(this.omitted > 0 && { omittedErrors: this.omitted }),
    };
  }

  /** @param ignored unknown fields. The answer names them, because a missing field may be among them, misspelt. */
  toFailure(ignored: ReadonlySet<string>): ValidationFailed {
    const { errors, ...omitted } = this.toElementErrors();
    return new ValidationFailed(errors, { ...omitted, ...(ignored.size > 0 && { ignoredFields: [...ignored] }) });
  }
}
