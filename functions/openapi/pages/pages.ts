/**
 * What the pages of `docs/` tell of the document: between `<!-- generated: fields Customer -->` and `<!-- end -->` is
 * what `npm run openapi` writes there.
 */
import type { ApiDocument } from './document';
import { fieldTable, memberTable } from './field-table';
import { messageTable } from './message-table';
import { routeTable } from './route-table';

const TABLES: Readonly<Record<string, (document: ApiDocument, name: string) => string>> = {
  routes: routeTable,
  messages: messageTable,
  fields: fieldTable,
  members: memberTable,
};

const START = /<!-- generated: (\w+)(?: (\w+))? -->\n/;
const END = '<!-- end -->';

/**
 * The page with its tables as the document has them.
 * @throws Error for an end without a start, a table that nobody makes, and what the makers of tables throw
 */
export function withTables(page: string, document: ApiDocument): string {
  const pieces = page.split(END);
  const rest = pieces.pop() ?? '';
  const regions = pieces.map((piece) => {
    const start = START.exec(piece);
    if (!start) throw new Error('A table has an end and no start.');
    const make = TABLES[start[1] ?? ''];
    if (!make) throw new Error(`No table is named ${start[1]}.`);
    return `${piece.slice(0, start.index)}${start[0]}\n${make(document, start[2] ?? '')}\n\n`;
  });
  return [...regions, rest].join(END);
}
