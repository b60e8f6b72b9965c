import { TEXTS } from '../texts';

/** A value of a record as text. Whatever it holds, it is text and nothing else. */
export function Value({ value }: { readonly value: unknown }) {
  if (value === null || value === undefined) return <span class="soft">{TEXTS.value.none}</span>;
  if (typeof value === 'boolean') {
    return <span class={value ? 'yes' : 'no'}>{value ? TEXTS.value.yes : TEXTS.value.no}</span>;
  }
  if (typeof value === 'string') return <span class="text">{value}</span>;
  if (typeof value === 'number') return <span class="number">{String(value)}</span>;
  return <code class="text">{JSON.stringify(value)}</code>;
}
