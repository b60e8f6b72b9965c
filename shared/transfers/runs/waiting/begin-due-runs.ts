/** Begins the runs that have waited for their moment after the full hour: called once a minute. */
import type { DocumentChange, StoredDocument } from '../../../documents/document-store';
import { pagesBy } from '../../../documents/pages';
import { idOf, RUNS } from '../../../documents/paths';
import { MIN_REMAINING_FOR_STARTS_MS } from '../../../limits/live';
import { LIST_PAGE_DOCUMENTS } from '../../../limits/records';
import type { Deadline } from '../../../platform/deadline';
import { firstStep, inTraceOfRun } from '../resume-run';
import type { Run } from '../run';
import { fromRunDocument } from '../run';
import type { TransferDependencies } from '../steps';

type BeginDependencies = Pick<TransferDependencies, 'store' | 'publisher' | 'clock' | 'transfersTopic'>;

const WAITS: NonNullable<Run['begins']> = 'later';

/**
 * Publishes the first steps of the runs that are due. A run is no longer found once its step is published; where this
 * ends in between, or somebody does the same, the step is published again, which does no harm. The step of a run that
 * was cancelled meanwhile does what is left of its end. A step that cannot be published keeps no other run waiting.
 * @returns whether all have begun; otherwise the time is up, and a repeat goes on
 * @throws what the first step failed with that could not be published, when all others have begun: a repeat tries again
 */
export async function beginDueRuns(deadline: Deadline, dependencies: BeginDependencies): Promise<boolean> {
  const { store, clock } = dependencies;
  let failure: PromiseRejectedResult | undefined;
  // In the order of their ids, which is that of their moments.
  const pages = pagesBy(LIST_PAGE_DOCUMENTS, (page) => store.findWhere(RUNS, 'begins', WAITS, page, deadline));
  for await (const page of pages) {
    const due = page.filter((document) => fromRunDocument(document).startedAt.getTime() <= clock.nowMs());
    const outcomes = await Promise.allSettled(due.map((document) => publishFirstStep(document, dependencies)));
    await store.writeEach(due.filter((_, index) => outcomes[index]?.status === 'fulfilled').map(toBegun), deadline);
    failure ??= outcomes.find((outcome) => outcome.status === 'rejected');
    if (due.length < page.length) break;
    if (deadline.remainingMs() < MIN_REMAINING_FOR_STARTS_MS) return false;
  }
  if (failure) throw failure.reason;
  return true;
}

async function publishFirstStep(document: StoredDocument, dependencies: BeginDependencies): Promise<void> {
  const run = fromRunDocument(document);
  const { publisher, transfersTopic } = inTraceOfRun(run, dependencies);
  await publisher.publish(transfersTopic, firstStep(idOf(document.path), run));
}

/** Changes nothing else, so that it holds whatever a step writes meanwhile. */
function toBegun({ path }: StoredDocument): DocumentChange {
  return { set: path, data: {}, fields: ['begins'], when: 'present' };
}
