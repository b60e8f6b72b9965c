/** Pages of lists: what a query asks for (numbers, words, times), the tokens of pages, and how much one page takes. */
import { createHash } from 'node:crypto';
import { DEFAULT_PAGE_ITEMS, MAX_PAGE_ITEMS } from '../domain/limits';
import { parseDateTime } from '../domain/values/date-time';
import { isPresent } from '../domain/values/text';
import { MAX_PAGE_BYTES, MAX_PAGE_DOCUMENTS, MAX_PAGE_TOKEN_LENGTH, PAGE_RESERVE_MS } from '../limits/requests';
import type { Deadline } from '../platform/deadline';
import { foreignPageToken, invalidChoice, invalidLimit, invalidTime } from './problems';

/** The query parameters of lists. */
export const PAGE_PARAMETERS = ['limit', 'pageToken'] as const;

/** A decoded query parameter, null when absent. @throws HttpProblem 400 */
export type ReadQuery = (name: string) => string | null;

/** The part of a list that a query asks for. */
export interface ListPage {
  readonly limit: number;
  /** The position of the last element of the page before; undefined: the first page. */
  readonly after: string | undefined;
}

/** Which list a token is of: its name, whose it is, and its filters. */
export type ListScope = readonly (string | undefined)[];

/**
 * Reads `limit` and `pageToken`; blank counts as absent.
 * @param isPosition whether an element of the list can have this position
 * @throws HttpProblem 400, also for the token of another list
 */
export function readListPage(query: ReadQuery, scope: ListScope, isPosition: (text: string) => boolean): ListPage {
  const limitText = query('limit');
  const token = query('pageToken');
  return {
    limit: isPresent(limitText) ? parseLimit(limitText.trim()) : DEFAULT_PAGE_ITEMS,
    after: isPresent(token) ? parseToken(token.trim(), scope, isPosition) : undefined,
  };
}

/** One of some words; undefined: absent or blank. @throws HttpProblem 400 */
export function readChoice<Word extends string>(
  query: ReadQuery,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const text = query(name);
  if (!isPresent(text)) return undefined;
  const word = words.find((one) => one === text.trim());
  if (word === undefined) throw invalidChoice(name, words);
  return word;
}

/** A day or time; undefined: absent or blank. @throws HttpProblem 400 */
export function readTime(query: ReadQuery, name: string): Date | undefined {
  const text = query(name);
  if (!isPresent(text)) return undefined;
  const time = parseDateTime(text);
  if (!time) throw invalidTime(name);
  return time;
}

/** The elements of one page, and the token of the next one; null at the end. */
export interface Taken<Item> {
  readonly items: readonly Item[];
  readonly nextPageToken: string | null;
}

/**
 * Takes a page from the documents or rows after its position. A page that would take too many bytes or too long, or
 * look through too many documents, ends early.
 * @param toItem the element to show; undefined: it is no element of the list
 * @param positionOf where the next page begins after this one was looked at
 */
export async function takePage<Source, Item>(
  sources: AsyncIterable<Source>,
  { limit, scope, deadline }: { readonly limit: number; readonly scope: ListScope; readonly deadline: Deadline },
  toItem: (source: Source) => Item | undefined | Promise<Item | undefined>,
  positionOf: (source: Source) => string,
): Promise<Taken<Item>> {
  const items: Item[] = [];
  let bytes = 0;
  let seen = 0;
  let last = '';
  for await (const source of sources) {
    const isFull = items.length >= limit || bytes >= MAX_PAGE_BYTES || seen >= MAX_PAGE_DOCUMENTS;
    const isLate = seen > 0 && deadline.remainingMs() < PAGE_RESERVE_MS;
    if (isFull || isLate) return { items, nextPageToken: toToken(last, scope) };
    const item = await toItem(source);
    last = positionOf(source);
    seen += 1;
    if (item === undefined) continue;
    items.push(item);
    bytes += Buffer.byteLength(JSON.stringify(item));
  }
  return { items, nextPageToken: null };
}

function parseLimit(text: string): number {
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MAX_PAGE_ITEMS) return limit;
  throw invalidLimit(MAX_PAGE_ITEMS);
}

/**
 * A token holds the position and a digest of its list, so that a token of another list is noticed. It is no secret:
 * what a list shows is decided by the request's own tenant and filters, whatever the token says.
 */
function toToken(position: string, scope: ListScope): string {
  return Buffer.from(`${digestOf(scope)}${position}`).toString('base64url');
}

function parseToken(token: string, scope: ListScope, isPosition: (text: string) => boolean): string {
  const digest = digestOf(scope);
  const text = token.length <= MAX_PAGE_TOKEN_LENGTH ? Buffer.from(token, 'base64url').toString() : '';
  const position = text.slice(digest.length);
  // What base64 leaves out must not make two texts one token.
  const isOwn = text.startsWith(digest) && toToken(position, scope) === token;
  if (!isOwn || !isPosition(position) || RESERVED_ID.test(position)) throw foreignPageToken();
  return position;
}

/** Ids of this form belong to the database, which refuses a query that begins behind one. */
const RESERVED_ID = /^__.*__$/;
const DIGEST_LENGTH = 16;

function digestOf(scope: ListScope): string {
  return createHash('sha256').update(JSON.stringify(scope)).digest('base64url').slice(0, DIGEST_LENGTH);
}
