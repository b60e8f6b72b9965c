/** The breaking changes that `redocly diff` finds: all but those of `own-comparison.ts`. */
import { execFileSync } from 'node:child_process';
import type { BreakingChange, ComparedDocument } from './breaking-change';

/** What is read of its report. */
interface Report {
  readonly changes: readonly {
    /** `#/paths/~1customers~1{tenantId}/post/parameters/0` */
    readonly path: string;
    readonly verdicts: readonly { readonly impact: string; readonly message: string }[];
  }[];
}

/** A report holds both values of each change. */
const MAX_REPORT_BYTES = 64 * 1024 * 1024;

/**
 * Compares two files.
 * @param documents what they hold, the earlier one first
 * @throws Error when the program fails
 */
export function redoclyDiff(
  files: readonly [base: string, revision: string],
  documents: readonly [base: ComparedDocument, revision: ComparedDocument],
): BreakingChange[] {
  const args = ['--no', '--', 'redocly', 'diff', ...files, '--format=json', '--fail-on=none'];
  const printed = execFileSync('npx', args, {
    encoding: 'utf8',
    maxBuffer: MAX_REPORT_BYTES,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const { changes } = JSON.parse(printed) as Report;
  return changes.flatMap(({ path, verdicts }) =>
    verdicts
      .filter(({ impact }) => impact === 'major')
      .map(({ message }) => ({ subject: subjectOf(path, documents), message })),
  );
}

/** The name of the operation or component at a place of a document. */
function subjectOf(pointer: string, documents: readonly ComparedDocument[]): string {
  const [, part = '', name = '', inner = ''] = pointer.split('/').map(decodePart);
  if (part === 'components') return inner;
  if (part !== 'paths') return part;
  const operations = documents.map(({ paths }) => paths[name] ?? {}).find((item) => Object.keys(item).length > 0) ?? {};
  const named = operations[inner] ?? Object.values(operations)[0];
  return named?.operationId ?? name;
}

const decodePart = (part: string) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
