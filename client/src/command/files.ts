/** The commands that read a file: `push`, `check` and `delete`. */
import type { RecordKind } from '../../../shared/domain/identity';
import { RECORD_KINDS } from '../../../shared/domain/identity';
import { parseFileKind } from '../../../shared/files/file-kind';
import type { ValidationErrors } from '../../../shared/validation/validation-failed';
import { CommandError } from './command-error';
import type { Connection } from './connection';
import type { Purpose } from './input/operations';
import { openSource } from './input/source';
import type { SourceRow } from './input/source-rows';
import { describe, toCount, toDuration, toJson, toSafeText } from './output/format';
import type { Terminal, World } from './output/terminal';
import { explain } from './output/explain';
import type { Outcome } from './push/push';
import { push, totalOf } from './push/push';

export interface FileOptions {
  readonly tenant: string;
  readonly format?: string;
  readonly badRows?: string;
}

/** 0: all rows are done; 1: some were rejected; 2: the command could not do its work. */
export type ExitCode = 0 | 1 | 2;

export interface Context {
  readonly connection: Connection;
  readonly world: World;
  readonly terminal: Terminal;
}

export async function pushFile(
  kind: string,
  file: string,
  options: FileOptions & { readonly resume?: boolean },
  context: Context,
): Promise<ExitCode> {
  const outcome = await run({ kind: parseKind(kind), purpose: 'push', file, options }, context);
  return report(outcome, 'stored', context);
}

/** @param options `yes`: without it the file is checked, and nothing is deleted */
export async function deleteFile(
  kind: string,
  file: string,
  options: FileOptions & { readonly resume?: boolean; readonly yes?: boolean },
  context: Context,
): Promise<ExitCode> {
  const task = { kind: parseKind(kind), purpose: 'delete', file, options } as const;
  if (options.yes === true) return report(await run(task, context), 'stored', context);
  await report(await run({ ...task, validateOnly: true }, context), 'valid', context);
  context.terminal.say('Nothing was deleted. Add --yes to delete.', 'yellow');
  return 2;
}

/** Prints each bad row: a line of JSON, or for people a line of text. */
export async function checkFile(
  file: string,
  options: FileOptions & { readonly kind?: string },
  context: Context,
): Promise<ExitCode> {
  const kind = options.kind === undefined ? parseFileKind(file)?.kind : parseKind(options.kind);
  if (!kind) throw new CommandError(`Say with --kind what the file holds: ${RECORD_KINDS.join(', ')}.`);
  return report(await run({ kind, purpose: 'push', file, options, validateOnly: true }, context), 'valid', context);
}

interface Task {
  readonly kind: RecordKind;
  readonly purpose: Purpose;
  readonly file: string;
  readonly options: FileOptions & { readonly resume?: boolean };
  readonly validateOnly?: boolean;
}

async function run(task: Task, { connection, world, terminal }: Context): Promise<Outcome> {
  const { kind, purpose, file, options, validateOnly = false } = task;
  const { tenant, format, badRows, resume = false } = options;
  const source = openSource(file, format, world.stdin);
  let printed = Promise.resolve();
  const onRejected = ({ line }: SourceRow, errors: ValidationErrors) => {
    if (!validateOnly) return;
    const text = terminal.isForPeople ? toSafeText(`line ${line}: ${describe(errors)}`) : toJson({ line, errors });
    printed = terminal.print(`${text}\n`);
  };
  const rejections = { onRejected, untilPrinted: () => printed };
  return push(
    { kind, purpose, tenant, source, validateOnly, resumes: resume, badRows, ...rejections },
    connection,
    world,
    terminal,
  );
}

/** Says what has come of it: to people in words, to programs as one line of JSON. */
async function report(outcome: Outcome, done: 'stored' | 'valid', { terminal }: Context): Promise<ExitCode> {
  const { stored, deleted, rejected, badRows, shown, uncopied, failure, canResume, seconds } = outcome;
  const { requests, retries, ignoredFields, warnings, hasUpdatedAt } = outcome;
  for (const { code, message, count } of warnings) {
    terminal.say(`Warning ${code}, ${toCount(count, 'row')}: ${toSafeText(message)}`, 'yellow');
  }
  if (ignoredFields.length > 0) {
    terminal.say(`Fields that are not known and not stored: ${toSafeText(ignoredFields.join(', '))}`, 'yellow');
  }
  if (hasUpdatedAt) {
    terminal.say('UpdatedAt is not looked at: what is pushed counts as written now. A transfer looks at it.', 'yellow');
  }
  if (done === 'stored') {
    for (const { line, messages } of shown) terminal.say(`line ${line}: ${toSafeText(messages)}`);
    if (rejected > shown.length && shown.length > 0)
      terminal.say(`… and ${toCount(rejected - shown.length, 'more row')}`);
  }
  for (const line of uncopied)
    terminal.say(`Line ${line} is too long to be copied. It is in the pushed file only.`, 'yellow');
  const total = `${toCount(totalOf(outcome), 'row')} in ${toDuration(seconds)}`;
  const counts = { rows: totalOf(outcome), [done]: stored, ...(deleted > 0 && { deleted }), rejected };
  if (terminal.isForPeople) {
    const parts = [`${stored.toLocaleString('en-US')} ${done}`];
    if (deleted > 0)
      parts.push(`${deleted.toLocaleString('en-US')} ${done === 'valid' ? 'valid deletions' : 'deleted'}`);
    parts.push(`${rejected.toLocaleString('en-US')} rejected`);
    await terminal.print(`${total}: ${terminal.coloured(parts.join(', '), rejected > 0 ? 'yellow' : 'green')}\n`);
  } else if (done === 'stored') {
    await terminal.print(`${toJson({ ...counts, badRows, ignoredFields, warnings, requests, retries, seconds })}\n`);
  } else terminal.say(`${total}: ${stored + deleted} valid, ${rejected} rejected`);
  if (badRows !== null) terminal.say(`Rejected rows, to mend and push again: ${badRows}`, 'yellow');
  if (!failure) return rejected > 0 ? 1 : 0;
  terminal.say(explain(failure), 'red');
  if (canResume) terminal.say('What is stored stays. Go on with the same command and --resume.');
  return 2;
}

export function parseKind(text: string): RecordKind {
  const kind = RECORD_KINDS.find((known) => known === text);
  if (kind) return kind;
  throw new CommandError(`A kind is one of ${RECORD_KINDS.join(', ')}, not ${text}.`);
}
