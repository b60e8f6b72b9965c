import type { Deadline } from '../deadline';
import { runFilePath, runPath } from '../documents/paths';
import { MAX_REPLAY_LINES } from '../domain/limits';
import { toFile } from './plan-page';
import { readReport } from './report';
import type { Run } from './run';
import { fileIdOf, toFileDocument, toRunDocument } from './run';
import type { FileStep, TransferDependencies } from './steps';

/**
 * Starts a run that reads only the rows that were bad in an earlier one, from the files as they are now. An object that
 * is gone is left out. @returns the id of the new run
 */
export async function startReplay(
  { runId, run }: { readonly runId: string; readonly run: Run },
  deadline: Deadline,
  dependencies: Pick<
    TransferDependencies,
    'store' | 'storage' | 'publisher' | 'clock' | 'random' | 'transfersTopic' | 'reportsBucket'
  >,
): Promise<string> {
  const { store, storage, publisher, clock, random, transfersTopic, reportsBucket } = dependencies;
  const linesOf = new Map<string, number[]>();
  for await (const { object, line } of readReport(storage, reportsBucket, runId)) {
    const lines = linesOf.get(object) ?? [];
    lines.push(line);
    linesOf.set(object, lines);
  }
  const now = new Date(clock.nowMs());
  const replayId = `${now.toISOString().replace(/\D/g, '').slice(0, 14)}-replay${random.bytes(6).toString('hex')}`;
  const { files: _files, rows: _rows, ...rest } = run;
  const replay: Run = {
    ...rest,
    replayOf: runId,
    status: 'running',
    startedAt: now,
    finishedAt: null,
    isPlanned: true,
    error: null,
  };
  const steps: FileStep[] = [];
  for (const [object, lines] of linesOf) {
    const current = await storage.find(run.bucketName, object);
    const file = current && toFile(current);
    if (!file) continue;
    const fileId = fileIdOf(run.bucketName, object, file.generation);
    const only = lines.length <= MAX_REPLAY_LINES ? { onlyLines: lines } : {};
    await store.commit([{ set: runFilePath(replayId, fileId), data: toFileDocument({ ...file, ...only }) }], deadline);
    steps.push({ step: 'file', runId: replayId, fileId });
  }
  const isEmpty = steps.length === 0;
  const none = {
    files: { found: 0, finished: 0, skipped: 0, failed: 0 },
    rows: { read: 0, stored: 0, invalid: 0, stale: 0 },
  };
  const data = toRunDocument(isEmpty ? { ...replay, status: 'succeeded', finishedAt: now, ...none } : replay);
  await store.commit([{ set: runPath(replayId), data, when: 'absent' }], deadline);
  await Promise.all(steps.map((step) => publisher.publish(transfersTopic, step)));
  return replayId;
}
