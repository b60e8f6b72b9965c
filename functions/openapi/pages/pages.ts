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

const REGION = /(<!-- generated: (\w+)(?: (\w+))? -->\n)[^]*?(<!-- end -->)/g;

/**
 * The page with its tables as the document has them.
 * @throws Error for a table that nobody makes, and what the makers of tables throw
 */
export function withTables(page: string, document: ApiDocument): string {
  return page.replace(REGION, (_, start: string, kind: string, name: string | undefined, end: string) => {
    const make = TABLES[kind];
    if (!make) throw new Error(`No table is named ${kind}.`);
    return `${start}\n${make(document, name ?? '')}\n\n${end}`;
  });
}
