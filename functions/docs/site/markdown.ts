/** The Markdown that descriptions use: paragraphs, lists, bold text and code. */
import type { Content, Html } from './html';
import { markup } from './html';

/** Blocks of text, which blank lines divide. */
export function markdown(text: string): Html {
  return markup`${text.split(/\n{2,}/).map(block)}`;
}

function block(text: string): Html {
  const lines = text.split('\n');
  if (!lines.every((line) => line.startsWith('- '))) return markup`<p>${inline(lines.join(' '))}</p>`;
  return markup`<ul>${lines.map((line) => markup`<li>${inline(line.slice(2))}</li>`)}</ul>`;
}

/** One line: `code` and **bold**. */
export function inline(text: string): Html {
  const pieces = text.split(/(`[^`]+`|\*\*[^*]+\*\*)/);
  return markup`${pieces.map((piece): Content => {
    if (/^`.+`$/.test(piece)) return markup`<code>${piece.slice(1, -1)}</code>`;
    return /^\*\*.+\*\*$/.test(piece) ? markup`<strong>${piece.slice(2, -2)}</strong>` : piece;
  })}`;
}
