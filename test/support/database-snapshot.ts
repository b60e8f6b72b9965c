/** All documents of a database, so that a test can tell whether any has changed. */
import type { DocumentStore } from '../../shared/documents/document-store';
import { pagesBelow, pagesOf } from '../../shared/documents/pages';
import { API_KEYS, BUCKETS, RUNS, runPath, TENANTS } from '../../shared/documents/paths';
import type { Deadline } from '../../shared/platform/deadline';

/** Each document with its version, by path. @param except the id of a run that is left out with all below it */
export async function snapshotOf(
  store: DocumentStore,
  deadline: () => Deadline,
  except?: string,
): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const collection of [TENANTS, RUNS, BUCKETS, API_KEYS]) {
    for await (const page of pagesOf(store, collection, deadline)) {
      for (const { path, data, version } of page) {
        if (except !== undefined && path === runPath(except)) continue;
        found[path] = { data, version };
        for await (const refs of pagesBelow(store, path, deadline)) {
          const below = await store.getAll(refs.map((ref) => ref.path), deadline()); // prettier-ignore
          for (const document of below) found[document.path] = { data: document.data, version: document.version };
        }
      }
    }
  }
  return found;
}
