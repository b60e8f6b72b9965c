/** Starts a run of a recurring job outside its schedule. */
import type { Deadline } from '../../platform/deadline';
import { runPath } from '../../documents/paths';
import type { TransferTrigger } from '../../domain/transfer';
import { toRunDocument } from './run';
import { timedId } from './run-id';
import { toStartedRun } from './start-run';
import type { TransferDependencies } from './steps';

/**
 * Starts a run of a recurring job now. The job's schedule stays as it is. A repeat starts another run.
 * @returns the id of the run
 */
export async function requestRun(
  job: Omit<TransferTrigger, 'runId'>,
  deadline: Deadline,
  {
    store,
    publisher,
    clock,
    random,
    transfersTopic,
  }: Pick<TransferDependencies, 'store' | 'publisher' | 'clock' | 'random' | 'transfersTopic'>,
): Promise<string> {
  const now = new Date(clock.nowMs());
  const runId = timedId(now, `-manual${random.bytes(6).toString('hex')}`);
  const trigger: TransferTrigger = { ...job, runId };
  await publisher.publish(transfersTopic, trigger);
  // The trigger's own step stores the run, too. Here it is stored so that whoever gets its id can look it up at once.
  const data = toRunDocument(toStartedRun(trigger, now));
  await store.commit([{ set: runPath(runId), data, when: 'absent' }], deadline);
  return runId;
}
