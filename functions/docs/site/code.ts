/** Code and JSON as the page shows them. */
import { EXAMPLE_TENANT } from '../../../shared/endpoint/description/operation';
import type { Content, Html } from './html';
import { markup } from './html';

/** In samples, what the page replaces by its own address. */
export const EXAMPLE_BASE_URL = 'https://ingest.example.com';

const TOKEN =
  /("(?:[^"\\\n]|\\.)*"|'[^'"\n]*'|\b(?:true|false|null|True|False|None|const|await|import|new)\b|\b\d+(?:\.\d+)?\b)/;

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
  return text.split(new RegExp(`(${EXAMPLE_BASE_URL}|${EXAMPLE_TENANT})`)).map((piece): Content => {
    if (piece === EXAMPLE_BASE_URL) return markup`<span data-value="baseUrl">${piece}</span>`;
    return piece === EXAMPLE_TENANT ? markup`<span data-value="tenantId">${piece}</span>` : piece;
  });
}
