/** Warnings as a test expects them. */
import type { ShownWarning, WarningCode, WarningExample } from '../../shared/domain/warnings/warning';

/** The warning with any message, or one that contains a text. */
export function warningOf(
  code: WarningCode,
  count: number,
  examples: readonly WarningExample[],
  message = '',
): ShownWarning {
  return { code, message: expect.stringContaining(message) as string, count, examples };
}

/** Examples that each have one of these indexes. */
export const indexesOf = (...indexes: number[]): WarningExample[] => indexes.map((index) => ({ index }));
