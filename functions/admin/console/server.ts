import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connectTransferScheduler } from '../../../shared/adapters/scheduler/cloud-scheduler';
import { CloudBucketLook } from '../../../shared/adapters/storage/cloud-bucket-look';
import { StoredAdmission } from '../../../shared/auth/stored-admission';
import type { Config } from '../../../shared/config';
import { OperatorError } from '../../../shared/operations/operator-error';
import { systemClock } from '../../../shared/platform/clock';
import { createLogger } from '../../../shared/platform/logger';
import { MergeQueue } from '../../../shared/records/merge-queue';
import { PresencePredictor } from '../../../shared/records/presence-predictor';
import { assets } from '../../console/assets';
import { connect } from '../connection';
import { createOperatorConsole } from './operator-console';

/** An operator's console that is open. */
export interface RunningConsole {
  /** Begins the session in a browser; works once. */
  readonly url: string;
  /** Ends it, also requests that are under way. */
  close(): Promise<void>;
}

/** Nothing of it is to be reached from another machine. */
const HOST = '127.0.0.1';

/**
 * Opens the console of operators on this machine.
 * @param port 0: any free one
 * @throws OperatorError when the port is taken
 */
export async function startOperatorConsole(config: Config, port: number): Promise<RunningConsole> {
  const operator = connect(config, undefined, 'console');
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', ({ message }) => reject(new OperatorError(`The console cannot be opened: ${message}`)));
    server.listen(port, HOST, resolve);
  });
  const { port: real } = server.address() as AddressInfo;
  const { projectId, reportsBucket, topics, transferServiceAccount } = config;
  const { handle, openPath } = createOperatorConsole(
    {
      ...operator,
      operator,
      admissionStore: new StoredAdmission(operator.store),
      usage: { count: () => undefined }, // what operators ask for is no tenant's usage
      presencePredictor: new PresencePredictor(),
      mergeQueue: new MergeQueue(),
      logger: createLogger(projectId),
      scheduler: connectTransferScheduler(config, systemClock),
      bucketLook: new CloudBucketLook(config),
      assets,
      projectId,
      transferServiceAccount,
      reportsBucket,
      deletionsTopic: topics.deletions,
      transfersTopic: topics.transfers,
      uploadsTopic: topics.uploads,
    },
    real,
  );
  server.on('request', (request, response) => void handle(request, response));
  return {
    url: `http://${HOST}:${real}${openPath}`,
    close: async () => {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      await operator.close();
    },
  };
}
