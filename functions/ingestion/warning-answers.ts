/** Warnings of a run as tenants see them. */
import type { ShownWarning, WarningExample, Warnings } from '../../shared/domain/warnings/warning';
import { toShownWarnings } from '../../shared/domain/warnings/warning';

/** An object with the same members under capitalised names. */
export type Capitalized<T> = { readonly [Name in keyof T as Capitalize<Name & string>]: T[Name] };

export type WarningDto = Omit<Capitalized<ShownWarning>, 'Examples'> & {
  readonly Examples: readonly Capitalized<WarningExample>[];
};

export function toWarningDtos(warnings: Warnings): WarningDto[] {
  return toShownWarnings(warnings).map(({ code, message, count, examples }) => {
    return { Code: code, Message: message, Count: count, Examples: examples.map(capitalized) };
  });
}

export function capitalized<T extends object>(value: T): Capitalized<T> {
  const members = Object.entries(value as Readonly<Record<string, unknown>>).map(([name, member]) => [
    name.charAt(0).toUpperCase() + name.slice(1),
    member,
  ]);
  return Object.fromEntries(members) as Capitalized<T>;
}
