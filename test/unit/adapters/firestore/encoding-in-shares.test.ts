/** A commit of a large product by Sku has thousands of index entries: others have their turn while it is encoded. */
import { GrpcFirestore } from '../../../../shared/adapters/firestore/grpc/grpc-firestore';
import type { Config } from '../../../../shared/config';
import { FixedClock } from '../../../support/fixed-clock';

let sentAfter: number | undefined;
let turns = 0;

jest.mock('../../../../shared/limits/platform', () => ({
  ...jest.requireActual<object>('../../../../shared/limits/platform'),
  EVENT_LOOP_SHARE_MS: 0,
}));
jest.mock('../../../../shared/adapters/firestore/grpc/firestore-channel', () => ({
  firestoreChannel: () => ({
    unary: () => {
      sentAfter = turns;
      return Promise.reject(new Error('It is not sent.'));
    },
  }),
}));

it.each(['commit', 'batchWrite'] as const)('lets others have their turn between the writes of a %s', async (method) => {
  [sentAfter, turns] = [undefined, 0];
  const look = () => {
    turns += 1;
    if (sentAfter === undefined) setImmediate(look);
  };
  setImmediate(look);
  const client = new GrpcFirestore({ projectId: 'p', databaseId: '(default)' } as Config, new FixedClock());
  const writes = Array.from({ length: 50 }, (_, index) => ({ set: `a/${index}`, data: { index } }));
  await expect(client[method](writes, 1_000)).rejects.toThrow('It is not sent.');
  expect(sentAfter).toBeGreaterThanOrEqual(writes.length);
});
