/** Dead letters as operators meet them: from a message that a function rejects to its replay, or its end. */
import { PubSub } from '@google-cloud/pubsub';
import { configOf } from '../../functions/admin/connection';
import type { ShownDeadLetter } from '../../shared/operations/dead-letters/dead-letters';
import { countRecords } from '../../shared/operations/records';
import { PubSubPublisher } from '../../shared/adapters/pubsub/pubsub-publisher';
import { acceptDeletion } from '../support/deletions';
import { MergeQueue } from '../../shared/records/merge-queue';
import { PresencePredictor } from '../../shared/records/presence-predictor';
import type { RunningStack } from '../support/running-stack';
import { admin, eventually, operatorOf, runStack } from '../support/running-stack';
import { aTenant } from '../unit/support/tenant';
import { upsertProducts } from '../support/upserts';

jest.setTimeout(90_000);

let stack: RunningStack;
beforeAll(async () => {
  stack = await runStack();
});
afterAll(async () => {
  await stack.stop();
});

async function run(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await admin(stack, ...args);
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

const list = async () => {
  const lines = (await run('dead-letters', 'list')).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as ShownDeadLetter);
};

/** The dead letter that is meant, once it is there. */
async function awaited(isMeant: (shown: ShownDeadLetter) => boolean): Promise<ShownDeadLetter> {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const found = (await list()).find(isMeant);
    if (found) return found;
  }
  throw new Error('The dead letter has not come in time.');
}

it('shows a message that is no JSON as often as it is asked, and discards it when it is asked to', async () => {
  const { projectId, emulators } = configOf({ config: stack.configFile });
  const pubsub = new PubSub({ projectId, apiEndpoint: emulators.pubsub!, emulatorMode: true });
  const failedMessageId = await pubsub.topic('deletions').publishMessage({ data: Buffer.from('no JSON') });
  await pubsub.close();

  const shown = await awaited((one) => one.failedMessageId === failedMessageId);
  expect(shown).toEqual({
    id: expect.stringMatching(/^\d+$/) as unknown,
    function: 'deletion-consumer',
    topic: 'deletions',
    reason: 'The data of the message is not JSON.',
    failedMessageId,
    attempts: null,
    publishedAt: expect.stringMatching(/Z$/) as unknown,
    dataBase64: Buffer.from('no JSON').toString('base64'),
  });
  expect(await list()).toContainEqual(shown);
  expect(await run('dead-letters', 'discard', shown.id)).toBe(`${JSON.stringify(shown)}\n`);
  expect(await list()).not.toContainEqual(shown);

  const { code, stdout, stderr } = await admin(stack, 'dead-letters', 'discard', shown.id);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^There is no dead letter \d+, so nothing was changed\. .*; dead-letters list shows/);
});

it('applies a deletion on its replay, when its tenant is there by then', async () => {
  const tenant = aTenant();
  const { tenantId } = tenant;
  const operator = operatorOf(stack);
  const { config } = operator;
  await upsertProducts([{ ProductId: 'tea', ProductVariants: [] }], tenant, operator.deadline(), {
    ...operator,
    presencePredictor: new PresencePredictor(),
    mergeQueue: new MergeQueue(),
  });
  const log = {
    ...operator,
    publisher: new PubSubPublisher(config, operator),
    deletionsTopic: config.topics.deletions,
  };
  await acceptDeletion(tenant, { type: 'product', productId: 'tea' }, operator.deadline(), log);

  const { id, reason } = await awaited(
    ({ data }) => (data as { tenantId?: unknown } | undefined)?.tenantId === tenantId,
  );
  expect(reason).toBe('The tenant of the deletion does not exist.');
  await run('tenants', 'create', '--organization', 'mended', '--id', tenantId);
  expect(await countRecords(tenantId, 'products', operator)).toEqual({ count: 1 });
  expect(JSON.parse(await run('dead-letters', 'replay', id))).toMatchObject({ id, topic: 'deletions' });
  await eventually(async () => (await countRecords(tenantId, 'products', operator)).count === 0);
  expect((await list()).map((shown) => shown.id)).not.toContain(id);
  await operator.close();
});

it('explains itself, and says on stderr what is missing', async () => {
  expect(await run('dead-letters', 'list', '--help')).toContain('a list is a sample');
  const { code, stdout, stderr } = await admin(stack, 'dead-letters', 'replay');
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: '',
    stderr: 'Name dead letters by their ids, or ask for all of them; --all does.\n',
  });
});
