import { runFilesPath } from '../../shared/documents/paths';
import type { Operator } from '../../shared/operations/operator';
import { fromFileDocument } from '../../shared/transfers/runs/run';

type Position = readonly [position: number, object: string];

/** The objects that a run reads, in the order in which its units wait. */
export async function positionsOf(runId: string, { store, deadline }: Operator): Promise<Position[]> {
  const files = (await store.list(runFilesPath(runId), { limit: 100 }, deadline())).map(fromFileDocument);
  return files
    .map(({ unitId, object }): Position => [Number(unitId?.split('.')[0]), object])
    .sort(([position], [other]) => position - other);
}
