/**
 * The real worker, fed from the real Pub/Sub, killed at random moments: nothing is lost and nothing counted twice
 * (D-55).
 */
import type { Message } from '@google-cloud/pubsub';
import { PubSub } from '@google-cloud/pubsub';
import { gzipSync } from 'node:zlib';
import { listRuns } from '../../shared/operations/transfers';
import { PubSubPublisher } from '../../shared/adapters/pubsub/pubsub-publisher';
import { historicalJobId } from '../../shared/domain/transfer';
import { systemRandom } from '../../shared/platform/random';
import { encodeRecords } from '../support/file-formats';
import { FAULTS_SEED, ofTier, report as reportFigures } from '../faults/tier';
import { LONGEST_LOCK_MS } from '../support/emulator-operator';
import { exchange } from '../support/http-exchange';
import { SeededRandom } from '../support/seeded-random';
import { useTransferLab } from '../support/transfer-lab';
import { WorkerProcesses } from '../support/worker-processes';

/** The others are in crash/commit-boundaries. */
const KILLS = ofTier(4, 108);
/** Longest life of a worker that is going to be killed, once it has handled a message and so is at work. */
const LIFE_MS = 600;
/** Longest wait for a worker's first message. */
const START_MS = LONGEST_LOCK_MS + 60_000;
/** A push that fails is repeated after this time. */
const REPEAT_MS = 50;
const END_MS = LONGEST_LOCK_MS + 40_000;
const POLL_MS = 100;
const WATCH_MS = 10;
/** More than a slice takes; in the full tier a chunk whose slices are stored side by side, too. */
const ROWS_PER_FILE = ofTier(500, 2_000);
/** Each of so many rows is bad, among the first ones. */
const BAD_EVERY = 97;
const BAD_AMONG = 700;

const lab = useTransferLab();

/** Processes and Pub/Sub resources of the test, as functions that end them. */
const started: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of started.splice(0).reverse()) await end();
});

it('loses nothing, counts nothing twice and reports each bad row once, whenever the worker is killed (D-55)', async () => {
  const seed = String(FAULTS_SEED);
  const random = new SeededRandom(seed);
  const { config, operator } = lab();
  const { tenant, bucket } = await lab().openShop();
  const files = exportedFiles();
  for (const { name, content } of files) bucket.put(name, content);

  const unique = systemRandom.bytes(6).toString('hex');
  const transfersTopic = `transfers-${unique}`;
  const pushes = await pushMessagesOf(transfersTopic);
  const workers = new WorkerProcesses('test/support/transfer-worker.ts', {
    TRANSFERS_TOPIC: transfersTopic,
    DEAD_LETTERS_TOPIC: `${transfersTopic}-dead`,
    REPORTS_BUCKET: config.reportsBucket,
    STORAGE_EMULATOR_HOST: config.emulators.storage,
    TRANSFER_STEP_SECONDS: '0.2',
    TRANSFER_CONCURRENCY: '2',
  });
  started.push(() => workers.stop());
  const startWorker = async () => {
    const worker = await workers.take();
    pushes.port = worker.greeting as number;
    return worker;
  };

  const publisher = new PubSubPublisher(config, operator);
  let triggers = 0;
  const trigger = () => {
    triggers += 1;
    const jobId = historicalJobId(tenant.tenantId, String(triggers));
    return publisher.publish(transfersTopic, {
      jobId,
      tenantId: tenant.tenantId,
      bucketName: bucket.name,
      folderPaths: [],
    });
  };
  const runs = () => listRuns(tenant.tenantId, operator);
  const allHaveEnded = async () => {
    const known = await runs();
    return known.length === triggers && known.every(({ status }) => status !== 'running');
  };

  // On a fast machine one run does not last for all kills: the next one reads the same files again.
  for (let kills = 0; kills < KILLS; kills += 1) {
    if (await allHaveEnded()) await trigger();
    const worker = await startWorker();
    // Every third dies early; the others are at work: a kill while nothing is proves nothing.
    if (kills % 3 !== 2) await until(() => pushes.handled > 0, START_MS);
    pushes.handled = 0;
    await operator.clock.sleep(random.fraction() * LIFE_MS);
    worker.child.kill('SIGKILL');
    await worker.ended;
    pushes.handled = 0;
  }
  await startWorker();
  const endBy = operator.clock.nowMs() + END_MS;
  while (!(await allHaveEnded()) && operator.clock.nowMs() < endBy) await operator.clock.sleep(POLL_MS);

  const good = files.flatMap((file) => file.good);
  const bad = files.flatMap((file) => file.badLines.map((line) => `${file.name}:${line}`));
  const ended = await runs();
  expect(ended).toHaveLength(triggers);
  for (const { runId, status, files: fileCounts, rows } of ended) {
    expect({ seed, status, files: fileCounts, rows }).toEqual({
      seed,
      status: 'partial',
      files: { found: files.length, finished: files.length, skipped: 0, failed: 0 },
      rows: { read: good.length + bad.length, stored: good.length, invalid: bad.length, stale: 0, deleted: 0 },
    });
    const report = await lab().report(runId);
    expect(report.map(({ object, line }) => `${object}:${line}`).sort()).toEqual([...bad].sort());
  }
  const records = (await lab().records(tenant, 'customers')) as { CustomerId: string; Name: string }[];
  expect(records.map(({ CustomerId, Name }) => `${CustomerId} ${Name}`).sort()).toEqual(
    good.map(({ CustomerId, Name }) => `${CustomerId} ${Name}`).sort(),
  );
  reportFigures('a transfer is exact after any kill', KILLS, 0, `${triggers} runs`);
});

/** Files in several formats, every record of its own, some rows bad. */
function exportedFiles() {
  const formats = [
    ['ndjson', 'ndjson', false],
    ['ndjson.gz', 'ndjson', true],
    ['json', 'json', false],
    ['csv.gz', 'csv', true],
    ['csv', 'csv', false],
  ] as const;
  return formats.map(([extension, format, isGzip], file) => {
    const rows = Array.from({ length: ROWS_PER_FILE }, (_, index) => ({
      CustomerId: `c${file}-${index}`,
      Name: `Name ${index}`,
      EmailOptin: isBad(index) ? 'perhaps' : true,
    }));
    const text = encodeRecords(rows, format);
    const firstLine = format === 'csv' ? 2 : 1; // after the header row
    return {
      name: `customers-${file}.${extension}`,
      content: isGzip ? gzipSync(text) : Buffer.from(text),
      good: rows.filter((_, index) => !isBad(index)),
      badLines: rows.flatMap((_, index) => (isBad(index) ? [index + firstLine] : [])),
    };
  });
}

function isBad(index: number): boolean {
  return index < BAD_AMONG && index % BAD_EVERY === 0;
}

interface Pushes {
  /** Of the worker that gets the messages. */
  port: number;
  handled: number;
}

/**
 * Pushes the messages of a topic to a worker as Pub/Sub does. The emulator's own push waits longer and longer after
 * each refused connection, up to a minute, so that a worker that was killed a few times gets nothing more to do.
 */
async function pushMessagesOf(topicName: string): Promise<Pushes> {
  const { config, operator } = lab();
  const { pubsub: address } = config.emulators;
  const client = new PubSub({
    projectId: config.projectId,
    ...(address && { apiEndpoint: address }),
    emulatorMode: true,
  });
  started.push(() => client.close());
  for (const name of [`${topicName}-dead`, topicName]) {
    const [topic] = await client.createTopic(name);
    started.push(() => topic.delete());
  }
  const [subscription] = await client.createSubscription(topicName, topicName, { ackDeadlineSeconds: 60 });
  started.push(() => subscription.delete());
  const pushes: Pushes = { port: 0, handled: 0 };
  subscription.on('message', (message: Message) => {
    const { id: messageId, publishTime, data } = message;
    const body = { message: { messageId, publishTime: publishTime.toISOString(), data: data.toString('base64') } };
    const push = exchange({
      port: pushes.port,
      method: 'POST',
      path: '/',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    push
      .then(({ status }) => status < 300)
      .catch(() => false)
      .then(async (isHandled) => {
        if (isHandled) {
          pushes.handled += 1;
          message.ack();
          return;
        }
        await operator.clock.sleep(REPEAT_MS);
        message.nack();
      })
      .catch(() => message.nack());
  });
  started.push(() => subscription.close());
  return pushes;
}

async function until(holds: () => boolean, longestMs: number): Promise<void> {
  const { clock } = lab().operator;
  const byMs = clock.nowMs() + longestMs;
  while (!holds()) {
    if (clock.nowMs() > byMs) throw new Error(`Nothing happened in ${longestMs} ms (seed ${FAULTS_SEED}).`);
    await clock.sleep(WATCH_MS);
  }
}
