/** Events of the transfers topic that no run can have handed out: they can never succeed, and read nothing. */
import { historicalJobId, oneTimeJobId, recurringJobId } from '../../shared/domain/transfer';
import type { TransferDependencies } from '../../shared/transfers/runs/steps';
import { UnprocessableEvent } from '../../shared/events/event-handler';
import { tenantPath } from '../../shared/documents/paths';
import { MAX_FOLDER_PATH_LENGTH, MAX_FOLDER_PATHS, MAX_SAMPLE_ROWS } from '../../shared/domain/limits';
import { MAX_TENANT_CONCURRENCY, UNIT_FILES } from '../../shared/limits/transfers';
import type { StartedRun } from '../support/transfer-lab';
import { useTransferLab } from '../support/transfer-lab';
import { TENANT_ID } from '../unit/support/tenant';
import { customers, finished, ndjson } from './numbered-customers';

const lab = useTransferLab();

const deliver = (started: StartedRun, event: object) => started.deliver({ ...started.trigger, event });
const reasonOf = (started: StartedRun, event: object) =>
  deliver(started, event).then(
    () => 'it was handled',
    (error: unknown) => (error instanceof UnprocessableEvent ? error.message : String(error)),
  );

const FILE_ID = 'f'.repeat(43);
const unit = { step: 'unit', runId: 'run', lane: 0, unitId: `0000000000.run.${FILE_ID}`, fileIds: [FILE_ID] };
const isText = (value: unknown) => typeof value === 'string';
const NO_STEP = 'The event is no trigger and no step of a transfer.';

it('are refused by their shape, before anything is read', async () => {
  const started = lab().start(await lab().createTenant(), 'some-bucket', {
    overrides: { store: undefined, storage: undefined } as unknown as Partial<TransferDependencies>,
  });
  const plan = { step: 'plan', runId: 'run', folder: 0, page: 0, pageToken: null };
  const replay = { step: 'replay', runId: 'run', replayOf: 'earlier', after: null };
  const jobId = recurringJobId('daily', TENANT_ID);
  const trigger = { jobId, tenantId: TENANT_ID, bucketName: 'some-bucket', folderPaths: [] };
  const runIds = ['a/b', '..', '.', '', ' ', 'a b', '__a__', 'x'.repeat(129), 7, null];
  const events: object[] = [
    ...runIds.flatMap((runId) => [
      { ...plan, runId },
      { ...unit, runId },
      { ...replay, runId },
      { ...replay, replayOf: runId },
      { ...trigger, runId },
    ]),
    ...['', '..', 'a/b', 'f'.repeat(42), 'f'.repeat(44), `${'f'.repeat(42)}/`, 7].flatMap((fileId) => [
      { ...unit, fileIds: [fileId] },
      { ...unit, unitId: `0000000000.run.${fileId}` },
    ]),
    { ...unit, fileIds: FILE_ID },
    { ...unit, fileIds: Array(UNIT_FILES + 1).fill(FILE_ID) },
    ...['', '0', '00000000000', 'x'.repeat(10), 7].map((position) => ({
      ...unit,
      unitId: `${position}.run.${FILE_ID}`,
    })),
    ...runIds.filter(isText).map((runId) => ({ ...unit, unitId: `0000000000.${runId}.${FILE_ID}` })),
    { ...unit, unitId: `${unit.unitId}.more` },
    { ...unit, lane: MAX_TENANT_CONCURRENCY },
    ...[-1, 0.5, '0', null, 2 ** 53].flatMap((index) => [
      { ...plan, folder: index },
      { ...plan, page: index, pageToken: 'next' },
      { ...plan, named: index },
      { ...plan, files: index },
      { ...replay, files: index },
      { ...unit, lane: index },
    ]),
    { ...plan, pageToken: 'next' },
    { ...plan, pageToken: '' },
    { ...plan, page: 1 },
    { ...plan, page: 1, pageToken: '' },
    { ...plan, page: 1, pageToken: 7 },
    ...['', '..', 'a/b', `${FILE_ID}.`, `${FILE_ID}.a/b`, 7, undefined].map((after) => ({ ...replay, after })),
    { ...trigger, tenantId: '22222222-2222-4222-8222-222222222222' },
    { ...trigger, bucketName: 'a/b' },
    { ...trigger, bucketName: '' },
    { ...trigger, folderPaths: 'shop/' },
    { ...trigger, folderPaths: [7] },
    ...['', ' ', '/', '//'].map((folder) => ({ ...trigger, folderPaths: [folder] })),
    { ...trigger, folderPaths: ['x'.repeat(MAX_FOLDER_PATH_LENGTH + 1)] },
    { ...trigger, folderPaths: Array(MAX_FOLDER_PATHS + 1).fill('x') },
    { ...trigger, jobId: 'daily-transfer/..' },
    { ...trigger, jobId: historicalJobId(TENANT_ID, '..') },
    { ...trigger, sampleRowsPerFile: 1 },
    ...[0, -1, 0.5, '1', null, MAX_SAMPLE_ROWS + 1].map((sampleRowsPerFile) => ({
      ...trigger,
      jobId: oneTimeJobId('preview', TENANT_ID, 'p'),
      sampleRowsPerFile,
    })),
    [],
  ];
  for (const event of events) expect([event, await reasonOf(started, event)]).toEqual([event, NO_STEP]);
});

it('are refused when there is no such run, run to replay, or tenant', async () => {
  const { tenant, bucket } = await lab().openShop();
  const started = lab().start(tenant, bucket);
  const NO_RUN = 'The run of the step does not exist.';
  expect(await reasonOf(started, { step: 'plan', runId: 'run', folder: 0, page: 0, pageToken: null })).toBe(NO_RUN);
  expect(await reasonOf(started, unit)).toBe(NO_RUN);
  const replay = { step: 'replay', runId: 'run', after: null };
  expect(await reasonOf(started, { ...replay, replayOf: 'nothing' })).toBe('The run to replay does not exist.');
  expect(await reasonOf(started, { ...replay, replayOf: 'run' })).toBe('The run to replay does not exist.');
  const jobId = recurringJobId('daily', TENANT_ID);
  const trigger = { jobId, tenantId: TENANT_ID, bucketName: bucket.name, folderPaths: [] };
  expect(await reasonOf(started, trigger)).toBe('The tenant of the transfer does not exist.');
});

it('are refused when the run has no such file, and change nothing', async () => {
  const { tenant, bucket } = await lab().openShop();
  bucket.put('customers.ndjson', ndjson(customers(1, 5)));
  const started = lab().start(tenant, bucket);
  await started.deliver(started.trigger);
  const { runId } = await started.shown();
  expect(await reasonOf(started, { ...unit, runId })).toBe('The run of the step has no such file.');
  await started.deliverAll();
  expect(await started.shown()).toMatchObject({ status: 'succeeded', files: finished(1) });
});

it('are refused when the run does not list the folder or is another replay, and change nothing', async () => {
  const { tenant, bucket } = await lab().openShop();
  bucket.put('shop/customers-1.ndjson', ndjson([...customers(1, 5), { Email: 'no e-mail' }]));
  bucket.put('private/customers-2.ndjson', ndjson(customers(6, 9)));
  const started = lab().start(tenant, bucket, { folders: ['shop/'] });
  await started.deliver(started.trigger);
  const { runId } = await started.shown();
  const NO_FOLDER = 'The run of the step does not list this folder.';
  const outside = { step: 'plan', runId, folder: 1, page: 0, pageToken: null };
  expect(await reasonOf(started, outside)).toBe(NO_FOLDER);
  expect(started.waiting).toHaveLength(1);
  await started.deliverAll();
  expect(await reasonOf(started, outside)).toBe(NO_FOLDER);
  const rows = { read: 6, stored: 5, invalid: 1, stale: 0, deleted: 0 };
  expect(await started.shown()).toMatchObject({ status: 'partial', files: finished(1), rows });

  const replay = await lab().startReplay(runId);
  const { runId: replayId } = await replay.shown();
  expect(await reasonOf(replay, { ...outside, runId: replayId, folder: 0 })).toBe(NO_FOLDER);
  const another = { step: 'replay', runId: replayId, replayOf: replayId, after: null };
  expect(await reasonOf(replay, another)).toBe('The run of the step is no replay of this run.');
  const itself = { step: 'replay', runId, replayOf: runId, after: null };
  expect(await reasonOf(replay, itself)).toBe('The run of the step is no replay of this run.');
});

it('end a run whose tenant does not exist any more', async () => {
  const { tenant, bucket } = await lab().openShop();
  bucket.put('customers.ndjson', ndjson(customers(1, 5)));
  const started = lab().start(tenant, bucket);
  await started.deliver(started.trigger);
  await started.deliver(started.waiting.shift()!);
  const { store, deadline } = lab().operator;
  const stored = (await store.get(tenantPath(tenant.tenantId), deadline()))!;
  await store.commit([{ delete: stored.path }], deadline());
  await started.deliverAll();
  await store.commit([{ set: stored.path, data: stored.data }], deadline()); // so that the run can be shown
  expect(await started.shown()).toMatchObject({ status: 'failed', error: 'The tenant of the run does not exist.' });
});
