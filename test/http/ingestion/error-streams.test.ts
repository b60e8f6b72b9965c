/** The bad rows of a run as streams: NDJSON for programs, CSV for people. */
import { connect } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parse } from 'papaparse';
import { MAX_REPORTED_ROWS, MAX_REPORT_BYTES, STREAM_OBJECTS_AT_ONCE } from '../../../shared/limits/transfers';
import { STREAM_MS } from '../../../shared/limits/requests';
import { REQUEST_DEADLINE_MS } from '../../../shared/domain/limits';
import { ObjectGone } from '../../../shared/transfers/object-storage';
import type { ReportedRow } from '../../../shared/transfers/runs/report';
import type { Received } from '../../support/http-exchange';
import { putReports, rowsAt } from '../../support/reports';
import { aReport, RUN_OBJECT, storedErrorDto, storedRunId } from '../../support/stored-run';
import type { Caller } from '../../support/test-service';
import { useTestService } from '../../support/test-service';
import { envelopeOf, expectAnswer, matching, RESET, UNAUTHORIZED } from '../api';

const NDJSON = 'application/x-ndjson';
const CSV = 'text/csv';
const STREAMED = [NDJSON, CSV];
/** What a client says of a connection that was closed before the end of the answer. */
const CUT = /aborted|socket hang up/;
const HEADER = 'object,line,path,message\r\n';

const service = useTestService('ingestion');
afterEach(() => jest.restoreAllMocks());

const pathOf = (tenantId: string, query = '') =>
  `/ingestion/google-cloud-storage/runs/${storedRunId(tenantId)}/errors${query}`;
const get = ({ key, tenantId }: Pick<Caller, 'key' | 'tenantId'>, accept: string | undefined, query = '') =>
  service().request('GET', pathOf(tenantId, query), { key, headers: { accept } });
const failed = (message: string) => envelopeOf('ingestion', false, message);

const linesOf = ({ text }: Received) => text.split('\n').slice(0, -1);
const elementsOf = (answer: Received) => linesOf(answer).map((line) => JSON.parse(line) as { Line: number });
/** The cells as a spreadsheet reads them, without the header. */
const cellsOf = ({ text }: Received) =>
  parse<string[]>(text, { delimiter: ',', newline: '\r\n', skipEmptyLines: true }).data.slice(1);

/** Replaces the rows of the run's own report. */
function putRows({ tenantId }: Caller, rows: readonly ReportedRow[]): void {
  const { name, content } = aReport({ runId: storedRunId(tenantId), object: RUN_OBJECT }, rows);
  service().storage.put(service().reportsBucket, name, content);
}

/** Stores a second report, in which the storage fails after some rows. */
async function failInTheMiddle(caller: Caller, failure: Error): Promise<void> {
  await putReports(service(), caller, { object: 'a.csv' }, [rowsAt(1, 2), rowsAt(100)]);
  const { storage } = service();
  const read = storage.read.bind(storage);
  jest.spyOn(storage, 'read').mockImplementation(async function* (bucket, object) {
    if (object.name.includes('000100.')) throw failure;
    yield* read(bucket, object);
  });
}

describe('GET /ingestion/google-cloud-storage/runs/<run_id>/errors as a stream', () => {
  it('has all errors as NDJSON, one a line, in the order of the pages (R-90, R-91)', async () => {
    const caller = await service().createCaller();
    const slices = [rowsAt(...Array.from({ length: 150 }, (_, index) => index + 1)), rowsAt(400, 900)];
    await putReports(service(), caller, { object: 'a.csv' }, slices);
    const stream = await get(caller, NDJSON);
    expect(stream.status).toBe(200);
    const { Data } = (await get(caller, 'application/json', '?limit=100')).json as { Data: { Errors: unknown[] } };
    expect(elementsOf(stream)).toHaveLength(153);
    expect(elementsOf(stream).slice(0, 100)).toEqual(Data.Errors);
    expect(elementsOf(stream)).toContainEqual(storedErrorDto());
  });

  it('has all errors as CSV, a line for each message (R-90, R-93)', async () => {
    const caller = await service().createCaller();
    const messages = { '[0].Email': ['One.', 'Two.'], '': ['Three.'] };
    putRows(caller, [
      { line: 2, messages },
      { line: 7, messages: { Name: ['Four.'] }, omittedErrors: 17 },
    ]);
    const { status, text } = await get(caller, CSV);
    expect({ status, text }).toEqual({
      status: 200,
      text: `${HEADER}${[
        `${RUN_OBJECT},2,[0].Email,One.`,
        `${RUN_OBJECT},2,[0].Email,Two.`,
        `${RUN_OBJECT},2,,Three.`,
        `${RUN_OBJECT},7,Name,Four.`,
        `${RUN_OBJECT},7,,Messages that are left out: 17.`,
        '',
      ].join('\r\n')}`,
    });
  });

  it('has the usual headers, and no length (R-91)', async () => {
    for (const [type, contentType] of [
      [NDJSON, NDJSON],
      [CSV, 'text/csv; charset=utf-8'],
    ] as const) {
      // prettier-ignore
      const { headers } = await get(await service().createCaller(), type);
      expect(headers).toMatchObject({
        'content-type': contentType,
        'transfer-encoding': 'chunked',
        'cache-control': 'no-store',
        vary: 'Accept',
        'x-ratelimit-limit': '100',
        'x-ratelimit-remaining': '99',
        'x-ratelimit-reset': String(RESET),
        'x-trace-id': matching(/^[0-9a-f]{32}$/),
      });
      expect(headers).not.toHaveProperty('content-length');
    }
  });

  it('is what Accept wants first, and pages of JSON by default; each answer varies by it (R-90)', async () => {
    const caller = await service().createCaller();
    const types = [
      [undefined, 'application/json'],
      ['*/*', 'application/json'],
      ['text/html', 'application/json'],
      ['text/csv;q=0.5, application/x-ndjson', NDJSON],
      ['text/csv, application/json;q=0.9', 'text/csv; charset=utf-8'],
    ] as const;
    for (const [accept, type] of types) {
      const { status, headers } = await get(caller, accept);
      expect([status, headers['content-type'], headers.vary]).toEqual([200, type, 'Accept']);
    }
  });

  it('has those of one object (R-91)', async () => {
    const caller = await service().createCaller();
    await putReports(service(), caller, { object: 'a.csv', generation: '1' }, [rowsAt(1), rowsAt(500)]);
    await putReports(service(), caller, { object: 'a.csv', generation: '2' }, [rowsAt(3)]);
    expect(elementsOf(await get(caller, NDJSON, '?object=a.csv'))).toHaveLength(3);
    expect(cellsOf(await get(caller, CSV, '?object=a.csv')).map(([object]) => object)).toEqual(Array(3).fill('a.csv'));
    for (const [type, text] of [
      [NDJSON, ''],
      [CSV, HEADER],
    ] as const) {
      // prettier-ignore
      const answer = await get(caller, type, '?object=none');
      expect([answer.status, answer.text]).toEqual([200, text]);
    }
  });

  it('never begins a cell of CSV with what a spreadsheet runs, and loses no character of it (R-93)', async () => {
    const caller = await service().createCaller();
    const starts = ['=', '+', '-', '@', '＝', '＋', '－', '＠', '\t', '\r', '\n', '\0', '\uFEFF'];
    const texts = [...starts, "'", '"', ';', ' =', 'x'].map((start) => `${start}HYPERLINK("http://x";1),\r\n\t=1`);
    putRows(caller, [{ line: 2, messages: Object.fromEntries(texts.map((text) => [text, [text]])) }]);
    for (const object of texts) await putReports(service(), caller, { object }, [rowsAt(1)]);
    const answer = await get(caller, CSV);
    const expected = texts.map((text) => (starts.includes(text.charAt(0)) ? `'${text}` : text));
    const cells = cellsOf(answer);
    expect(cells.filter(([object]) => object === RUN_OBJECT).map(([, , ...rest]) => rest)).toEqual(
      expected.map((text) => [text, text]),
    );
    expect(cells.map(([object]) => object!).filter((object) => object !== RUN_OBJECT).sort()).toEqual(expected.sort()); // prettier-ignore
    expect(cells.filter((row) => row.length !== 4 || row.some((cell) => starts.includes(cell.charAt(0))))).toEqual([]);
    expect(answer.text.replace(/"(?:[^"]|"")*"/g, '')).not.toMatch(/[;\t]/); // another separator is always quoted
  });

  it.each(STREAMED)('%s refuses limit and pageToken with 400; blank ones count as left out (R-90)', async (type) => {
    const caller = await service().createCaller();
    for (const name of ['limit', 'pageToken']) {
      const message = `The query parameter ${name} does not apply to ${type}, which has all errors.`;
      expectAnswer(await get(caller, type, `?${name}=5`), 400, failed(message));
      expect((await get(caller, type, `?${name}=%20`)).status).toBe(200);
    }
  });

  it.each(STREAMED)('%s is refused in the envelope, before the first byte (R-91)', async (type) => {
    const caller = await service().createCaller();
    const foreign = await service().createCaller();
    const { organizationId } = caller;
    const unpermitted = await service().createKey(organizationId, { permissions: ['customers'] });
    const limited = await service().createKey(organizationId, { requestsPerMinute: 1 });
    expectAnswer(await get({ ...caller, key: service().unknownKey() }, type), 401, failed(UNAUTHORIZED));
    expect((await get({ ...caller, key: limited }, type)).status).toBe(200);
    const tooMany = failed('Rate limit exceeded. Please try again in 30 seconds.') as object;
    const answer = await get({ ...caller, key: limited }, type);
    expectAnswer(answer, 429, { ...tooMany, Data: { retryAfter: 30 } }, { limit: 1, remaining: 0 });
    const foreignAnswer = await get({ ...foreign, key: caller.key }, type);
    expectAnswer(foreignAnswer, 403, failed("The tenant does not belong to the API key's organization."));
    const lacking = failed('The API key lacks the permission transfers.');
    expectAnswer(await get({ ...caller, key: unpermitted }, type), 403, lacking);
    const path = '/ingestion/google-cloud-storage/runs/none/errors';
    const unknown = await service().request('GET', path, { key: caller.key, headers: { accept: type } });
    expectAnswer(unknown, 404, failed('Run not found.'));
    expect(unknown.headers.vary).toBe('Accept');
    const head = await service().request('HEAD', pathOf(caller.tenantId), { headers: { accept: type } });
    expect([head.status, head.headers.allow]).toEqual([405, 'GET']);
  });

  it.each(STREAMED)('%s is 404 when the report is gone, and 500 when it cannot be read (R-91)', async (type) => {
    const caller = await service().createCaller();
    service().storage.failure = new Error('The storage is out of reach.');
    expectAnswer(await get(caller, type), 500, failed('Failed to find errors.'));
    expect(service().logger.entries).toMatchObject([{ severity: 'ERROR', details: { error: 'Error' } }]);
    service().storage.failure = undefined;
    service().storage.contents.clear();
    expectAnswer(await get(caller, type), 404, failed('The errors of the run are no longer kept.'));
  });

  it.each<[what: string, failure: Error, severity: string, message: string]>([
    ['fails', new Error('The storage is out of reach.'), 'ERROR', 'A request failed unexpectedly.'],
    ['has a part no longer', new ObjectGone('a'), 'WARNING', 'A stream could not be sent to its end.'],
  ])('closes the connection without an end when the storage %s midway, and logs it (R-91)', async (_, ...row) => {
    const [failure, severity, message] = row;
    const caller = await service().createCaller();
    await failInTheMiddle(caller, failure);
    for (const type of STREAMED) {
      for (let times = 0; times < 3; times += 1) {
        await expect(get(caller, type, '?object=a.csv')).rejects.toThrow(CUT);
      }
    }
    expect(service().logger.entries).toHaveLength(6);
    expect(service().logger.entries).toMatchObject(Array(6).fill({ severity, message }));
    jest.restoreAllMocks();
    expect(elementsOf(await get(caller, NDJSON, '?object=a.csv'))).toHaveLength(3);
  });

  it('is refused to a client of HTTP/1.0, to which a part would look like the whole (R-91)', async () => {
    const caller = await service().createCaller();
    const socket = connect(service().portOf('ingestion'), '127.0.0.1');
    const head = `Host: x\r\nAccept: ${NDJSON}\r\nX-Service-Auth-Key: ${caller.key}\r\n\r\n`;
    socket.write(`GET ${pathOf(caller.tenantId)} HTTP/1.0\r\n${head}`);
    const answer = await textOf(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toEqual(failed('A stream needs HTTP/1.1 or newer.'));
  });

  it('closes the connection when its time is over, and logs a warning (R-91)', async () => {
    const caller = await service().createCaller();
    await putReports(service(), caller, { object: 'a.csv' }, [rowsAt(1, 2, 3)]);
    const { storage, clock } = service();
    const read = storage.read.bind(storage);
    jest.spyOn(storage, 'read').mockImplementation(async function* (bucket, object) {
      for await (const piece of read(bucket, object)) {
        yield piece;
        if (piece.includes('bad 1')) clock.advance(STREAM_MS);
      }
    });
    await expect(get(caller, NDJSON, '?object=a.csv')).rejects.toThrow(CUT);
    expect(service().logger.entries).toMatchObject([{ severity: 'WARNING', details: { error: 'RetryLater' } }]);
  });

  it('may take longer than a request as a whole, because each row has that time (R-91)', async () => {
    const caller = await service().createCaller({ requestsPerMinute: 1_000 });
    await putReports(
      service(),
      caller,
      { object: 'a.csv' },
      Array.from({ length: 60 }, (_, index) => rowsAt(index + 1)),
    );
    const { storage, store, clock } = service();
    const read = storage.read.bind(storage);
    const list = store.list.bind(store);
    const remaining: number[] = [];
    jest.spyOn(store, 'list').mockImplementation((collection, page, deadline) => {
      remaining.push(deadline.remainingMs());
      return list(collection, page, deadline);
    });
    jest.spyOn(storage, 'read').mockImplementation((bucket, object) => {
      clock.advance(STREAM_MS / 100);
      return read(bucket, object);
    });
    const startMs = clock.nowMs();
    expect(elementsOf(await get(caller, NDJSON, '?object=a.csv'))).toHaveLength(60);
    expect(clock.nowMs() - startMs).toBeGreaterThan(REQUEST_DEADLINE_MS);
    expect(remaining).toHaveLength(3);
    expect(Math.min(...remaining)).toBeGreaterThan(0);
  });

  it('reads some objects of a report at once, because it may have one for each bad row (R-91)', async () => {
    const caller = await service().createCaller();
    const slices = Array.from({ length: 60 }, (_, index) => rowsAt(index + 1));
    await putReports(service(), caller, { object: 'a.csv' }, slices);
    const { storage } = service();
    const read = storage.read.bind(storage);
    const open = { now: 0, most: 0 };
    jest.spyOn(storage, 'read').mockImplementation(async function* (bucket, object) {
      open.now += 1;
      open.most = Math.max(open.most, open.now);
      await nextTurn();
      yield* read(bucket, object);
      open.now -= 1;
    });
    const lines = elementsOf(await get(caller, NDJSON, '?object=a.csv')).map(({ Line }) => Line);
    expect(lines).toEqual(slices.map((_, index) => index + 1));
    expect(open).toEqual({ now: 0, most: STREAM_OBJECTS_AT_ONCE });
  });

  it('has the largest report of a file whole (R-91)', async () => {
    const caller = await service().createCaller();
    const text = 'x'.repeat(MAX_REPORT_BYTES / MAX_REPORTED_ROWS / 5 - 20);
    const messages = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((path) => [path, [text]]));
    putRows(
      caller,
      Array.from({ length: MAX_REPORTED_ROWS }, (_, index) => ({ line: index + 2, messages })),
    );
    const { storage } = service();
    const [content = ''] = storage.contents.values();
    const bytes = Buffer.from(content);
    jest.spyOn(storage, 'read').mockImplementation(async function* () {
      for (let from = 0; from < bytes.length; from += 65_536) {
        yield await Promise.resolve(bytes.subarray(from, from + 65_536));
      }
    });
    expect(linesOf(await get(caller, NDJSON))).toHaveLength(MAX_REPORTED_ROWS);
  });
});
