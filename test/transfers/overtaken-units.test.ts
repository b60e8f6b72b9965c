/** A step on several files of which another worker has gone on with one. */
import { transferLanesPath } from '../../shared/documents/paths';
import { RedeliverLater } from '../../shared/events/event-handler';
import type * as reading from '../../shared/transfers/reading/read-file';
import { useTransferLab } from '../support/transfer-lab';
import { customers, ndjson, stored } from './numbered-customers';
import { untilFileStep } from './slices-of-customers';

/** The files, by the index of their reading, that another worker is said to have gone on with. */
let overtaken: readonly number[] = [];
let read = 0;
jest.mock('../../shared/transfers/reading/read-file', () => {
  const original = jest.requireActual<typeof reading>('../../shared/transfers/reading/read-file');
  const readFile: typeof reading.readFile = (...call) =>
    overtaken.includes(read++) ? Promise.resolve('overtaken') : original.readFile(...call);
  return { ...original, readFile };
});

const lab = useTransferLab();

async function startWith(files: number) {
  const shop = await lab().openShop();
  for (let n = 0; n < files; n += 1) shop.bucket.put(`customers-${n}.ndjson`, ndjson(customers(2 * n + 1, 2 * n + 2)));
  const started = lab().start(shop.tenant, shop.bucket);
  await started.deliver(started.trigger);
  read = 0;
  const { store, deadline } = lab().operator;
  const lanes = () => store.list(transferLanesPath(shop.tenant.tenantId), { limit: 10 }, deadline());
  return { started, step: await untilFileStep(started), lanes };
}

it('comes again: each of two workers may have overtaken the other one, so that neither goes on (R-371)', async () => {
  const { started, step } = await startWith(2);
  overtaken = [1];
  await expect(started.deliver(step)).rejects.toThrow(RedeliverLater);
  expect((await started.shown()).status).toBe('running');
  overtaken = [];
  await started.deliver(step);
  await started.deliverAll();
  expect(await started.shown()).toMatchObject({ status: 'succeeded', rows: stored(4) });
});

it('passes its lane on where that is its only file, and the other worker is in another lane (R-371)', async () => {
  const { started, step, lanes } = await startWith(1);
  const [lane] = await lanes();
  const other = lane!.path.replace(/[^/]+$/, '1');
  const { store, deadline } = lab().operator;
  await store.commit([{ set: other, data: lane!.data }], deadline());
  overtaken = [0];
  await started.deliver(step);
  expect((await lanes()).map(({ path }) => path)).toEqual([other]);
});

it('is done with where that is its only file: who has gone on passes the lane on', async () => {
  const { started, step, lanes } = await startWith(1);
  const before = await lanes();
  overtaken = [0];
  await started.deliver(step);
  expect((await started.shown()).status).toBe('running');
  expect(before).toHaveLength(1);
  expect(await lanes()).toEqual(before);
});
