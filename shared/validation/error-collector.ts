import { MAX_VALIDATION_MESSAGES } from '../domain/limits';
import type { ValidationErrors } from './validation-failed';

/** Gathers messages by path, each once, and stops at the bound of one answer (D-22). */
export class ErrorCollector {
  private readonly byPath = new Map<string, string[]>();
  private count = 0;

  add(path: string, message: string): void {
    if (this.isFull) return;
    const messages = this.byPath.get(path) ?? [];
    if (messages.includes(message)) return;
    this.byPath.set(path, [...messages, message]);
    this.count += 1;
  }

  get isEmpty(): boolean {
    return this.count === 0;
  }

  get isFull(): boolean {
    return this.count >= MAX_VALIDATION_MESSAGES;
  }

  toErrors(): ValidationErrors {
    return Object.fromEntries(this.byPath);
  }
}
