/** What commands have in common: how their work is run, and what becomes of its result. */
import type { Writable } from 'node:stream';
import type { Operator } from '../../shared/operations/operator';

/** Where a command prints. */
export interface Terminal {
  /** On a terminal, a message of progress is cleared before a line is printed, and lists are tables. */
  readonly stdout: Writable & {
    readonly isTTY?: boolean;
    /** The width of the terminal in characters. */
    readonly columns?: number;
    /** Whether the terminal shows colours, and its user wants them (`NO_COLOR`). */
    hasColors?(): boolean;
  };
  /** On a terminal, a message of progress replaces the one before. */
  readonly stderr: Writable & { readonly isTTY?: boolean };
}

/** A field of a list's elements, such as `rows.read`. Text alone: its title is the field. */
export type Column = string | { readonly field: string; readonly title: string };

/** What a table shows, the most telling first. Columns in a list of their own are a group: all are shown, or none. */
export type Columns = readonly (Column | readonly Column[])[];

/** The elements of a list, all at once or one at a time. */
export type Elements = Iterable<object> | AsyncIterable<object>;

/** A command's result. */
export type Result =
  /** One JSON document. `exitCode`: what the command ends with; absent: 0. */
  | { readonly document: unknown; readonly exitCode?: number }
  /** A stream of JSON lines. */
  | { readonly lines: AsyncIterable<object> }
  /** A list: a table on a terminal, else JSON lines. */
  | { readonly list: Elements; readonly columns: Columns };

/** Runs a command's work with a connection and prints its result. */
export type Run = (work: (operator: Operator) => Promise<Result> | Result) => Promise<void>;

/** Ways to run a command's work. */
export interface Printing {
  readonly run: Run;
  /** Prints the one document that the work resolves with. */
  readonly print: (work: (operator: Operator) => Promise<unknown>) => Promise<void>;
  /** Prints the list that the work finds: a table of these columns on a terminal, else JSON lines. */
  readonly list: (columns: Columns, work: (operator: Operator) => Elements | Promise<Elements>) => Promise<void>;
}

export function printingBy(run: Run): Printing {
  return {
    run,
    print: (work) => run(async (operator) => ({ document: await work(operator) })),
    list: (columns, work) => run(async (operator) => ({ list: await work(operator), columns })),
  };
}
