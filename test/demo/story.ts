/** The demo from its first request to its verdict; what the chapters do is in the file of each. */
import { ApiClient } from './api-client';
import { compareStored } from './chapters/compare-stored';
import { createTenants } from './chapters/create-tenants';
import { deleteRecords } from './chapters/delete-records';
import { exceedLimit } from './chapters/exceed-limit';
import { listRoutes } from './chapters/list-routes';
import { makeMistakes } from './chapters/make-mistakes';
import { readBack } from './chapters/read-back';
import { registerTransfers } from './chapters/register-transfers';
import { runHistoricalTransfer } from './chapters/run-transfers';
import { sendShop } from './chapters/send-shop';
import { showOddCases } from './chapters/show-odd-cases';
import { showUsage } from './chapters/show-usage';
import type { Demo } from './context';
import type { Report } from './report';
import type { Stage } from './stage';

/** What the summary shows beside the checks. */
export interface StoryFigures {
  readonly routes: number;
  readonly requests: number;
  readonly recordsCompared: number;
}

/**
 * Tells the story on a stage, whose bucket must be there. What is not as expected is told to the report.
 * @throws Error where it cannot go on: an answer did not come, or the stage's signal was aborted
 */
export async function tellStory(stage: Stage, report: Report): Promise<StoryFigures> {
  const client = new ApiClient(stage);
  try {
    const demo: Demo = { ...stage, client, report, tenants: await createTenants(stage, report) };
    await sendShop(demo);
    await compareStored(
      demo,
      'Stored',
      'Every record is compared, field by field, with a model that shares no code with the service.',
    );
    await showOddCases(demo);
    await readBack(demo);
    await makeMistakes(demo);
    await deleteRecords(demo);
    await runHistoricalTransfer(demo);
    await registerTransfers(demo);
    await showUsage(demo);
    await exceedLimit(demo);
    listRoutes(demo);
    const recordsCompared = await compareStored(
      demo,
      'Stored in the end',
      'Once more, with what the files have brought: no mistake, no late deletion and no older row has changed anything.',
    );
    const requests = [...client.uses.values()].reduce((sum, { milliseconds }) => sum + milliseconds.length, 0);
    return { routes: client.uses.size, requests, recordsCompared };
  } finally {
    await client.close();
  }
}
