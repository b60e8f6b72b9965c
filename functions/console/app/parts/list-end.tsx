import type { Pages } from '../state/use-pages';
import { TEXTS } from '../texts';
import { Problem } from './problem';

/** What stands below a list that comes page by page: what went wrong, that it loads, and the way to more. */
export function ListEnd({ pages, what }: { readonly pages: Pages<unknown>; readonly what: string }) {
  const { failure, isLoading, mayHaveMore, loadMore, reload } = pages;
  return (
    <div class="list-end">
      <Problem failure={failure} onRetry={reload} />
      {isLoading && <Loading />}
      {mayHaveMore && !isLoading && (
        <button type="button" onClick={loadMore}>
          {TEXTS.list.more(what)}
        </button>
      )}
    </div>
  );
}

/** Says that something is being loaded, or what else is being done. */
export function Loading({ text = TEXTS.list.loading }: { readonly text?: string }) {
  return (
    <p class="loading" role="status">
      {text}
    </p>
  );
}
