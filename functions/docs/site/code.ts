/** Code and JSON as the page shows them. */
import { EXAMPLE_TENANT } from '../../../shared/endpoint/description/operation';
import type { Content, Html } from './html';
import { markup } from './html';

/** In samples, what the page replaces by its own address. */
export const EXAMPLE_BASE_URL = 'https://ingest.example.com';

const TOKEN = /("[^"\n]*"|'[^'"\n]*'|\b(?:true|false|null|True|False|None|const|await|import|new)\b|\b\d+(?:\.\d+)?\b)/;

/** With its texts, numbers and words in colours. */
export function code(text: string): Html {
  const pieces = text.split(TOKEN);
  return markup`<pre><code>${pieces.map((piece, index): Content => {
    if (index % 2 === 0) return withValues(piece);
    const isText = /^["']/.test(piece);
    const kind = !isText ? 'word' : pieces[index + 1]?.startsWith(':') ? 'name' : 'text';
    return markup`<span class="${kind}">${withValues(piece)}</span>`;
  })}</code></pre>`;
}

/** The example's address and tenant are marked, so that the page can replace them by those of the reader. */
function withValues(text: string): Content {
  return marked(text, 'baseUrl', EXAMPLE_BASE_URL, (piece) =>
    marked(piece, 'tenantId', EXAMPLE_TENANT, (rest) => rest),
  );
}

/** The text with each occurrence of a value marked. @param between what becomes of the text between them */
function marked(text: string, name: string, value: string, between: (piece: string) => Content): Content {
  return text.split(value).map((piece, index): Content => {
    if (index === 0) return between(piece);
    return markup`<span data-value="${name}">${value}</span>${between(piece)}`;
  });
}
