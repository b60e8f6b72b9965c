/** Turns values into lines: a table for people, JSON for programs. */
import type { ValidationErrors } from '../../../../shared/validation/validation-failed';

/** Characters that a terminal obeys, and marks that change the direction of text. */
const OBEYED = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** JSON on one line, which parses to the same value and holds nothing that a terminal obeys. */
export function toJson(value: unknown): string {
  return JSON.stringify(value).replace(OBEYED, escapeCharacter);
}

/** Text for a terminal: what it would obey is shown as an escape sequence. */
export function toSafeText(text: string): string {
  return text.replace(OBEYED, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

export type Cell = string | number | null | undefined;

/** Columns as wide as their longest cell; numbers to the right. */
export function toTable(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const texts = [header, ...rows].map((row) => row.map(toText));
  const widths = header.map((_, column) => Math.max(...texts.map((row) => row[column]?.length ?? 0)));
  const isNumeric = header.map((_, column) => rows.length > 0 && rows.every((row) => typeof row[column] !== 'string'));
  const toLine = (row: readonly string[]) =>
    row
      .map((cell, column) =>
        isNumeric[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  return texts.map((row) => `${toLine(row)}\n`).join('');
}

function toText(cell: Cell): string {
  if (cell === null || cell === undefined) return '-';
  return typeof cell === 'number' ? toNumber(cell) : toSafeText(cell);
}

/** `1,234,567` */
export function toNumber(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** `0:42`, `1:02:03` */
export function toDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const padded = (value: number) => String(value).padStart(2, '0');
  return hours > 0 ? `${hours}:${padded(minutes)}:${padded(rest)}` : `${minutes}:${padded(rest)}`;
}

/** `1 row`, `2 rows` */
export function toCount(count: number, noun: string): string {
  return `${toNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** `Email: The Email field is required. | Name: …` */
export function describe(messages: ValidationErrors): string {
  return Object.entries(messages)
    .map(([path, texts]) => (path === '' ? '' : `${path}: `) + texts.join(' '))
    .join(' | ');
}
