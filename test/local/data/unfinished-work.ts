import { requestDrain } from '../../../shared/deletions/drains';
import { allDocuments, pagesBy } from '../../../shared/documents/pages';
import { idOf, RAISED_FLAGS, RUNS, tenantIdOf } from '../../../shared/documents/paths';
import { RECORD_KINDS } from '../../../shared/domain/identity';
import { LIST_PAGE_DOCUMENTS } from '../../../shared/limits/records';
import type { OperatorMeans } from '../../../shared/operations/operator';
import { firstStep, resumeRun } from '../../../shared/transfers/runs/resume-run';
import { fromRunDocument } from '../../../shared/transfers/runs/run';
import type { UnitStep } from '../../../shared/transfers/runs/steps';
import { PLANNING_STEP } from '../../../shared/transfers/runs/steps';

/**
 * Asks for the work again that was under way when a stack stopped, whose messages are gone with it: deletions that are
 * pending, runs that have not ended, and what is left to do of those that have. Repeating it is safe, because all of it
 * is safe to repeat.
 */
export async function requestUnfinishedWork(operator: OperatorMeans): Promise<void> {
  await drainPendingDeletions(operator);
  await resumeRuns(operator);
}

async function drainPendingDeletions(operator: OperatorMeans): Promise<void> {
  const { store, deadline, config } = operator;
  const list = pagesBy(LIST_PAGE_DOCUMENTS, (page) => store.listGroup(RAISED_FLAGS, page, deadline()));
  for await (const flags of list) {
    for (const { path } of flags) {
      const kind = RECORD_KINDS.find((candidate) => candidate === idOf(path));
      const dependencies = { ...operator, deletionsTopic: config.topics.deletions };
      if (kind) await requestDrain({ tenantId: tenantIdOf(path), kind }, deadline(), dependencies);
    }
  }
}

async function resumeRuns(operator: OperatorMeans): Promise<void> {
  const { store, clock, deadline, publisher, config } = operator;
  const transfersTopic = config.topics.transfers;
  const { tenantConcurrency } = config.transfers;
  for await (const document of allDocuments(store, RUNS, deadline)) {
    const runId = idOf(document.path);
    const run = fromRunDocument(document);
    if (run.status === 'running') {
      await resumeRun(runId, run, deadline, { store, publisher, clock, transfersTopic, tenantConcurrency });
    } else if (run.ending) {
      const { step } = run.ending;
      const unitStep: UnitStep = { step: 'unit', runId, lane: 0, unitId: step, fileIds: [] };
      await publisher.publish(transfersTopic, step === PLANNING_STEP ? firstStep(runId, run) : unitStep);
    }
  }
}
