import { runFilesPath } from '../../shared/documents/paths';
import type { Operator } from '../../shared/operations/operator';
import { fromFileDocument } from '../../shared/transfers/runs/run';

type Place = readonly [place: number, object: string];

/** The objects that a run reads, in the order in which its units wait. */
export async function placesOf(runId: string, { store, deadline }: Operator): Promise<Place[]> {
  const files = (await store.list(runFilesPath(runId), { limit: 100 }, deadline())).map(fromFileDocument);
  return files
    .map(({ unitId, object }): Place => [Number(unitId?.split('.')[0]), object])
    .sort(([place], [other]) => place - other);
}
