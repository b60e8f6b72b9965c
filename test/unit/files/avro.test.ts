/** Files of Avro: the samples of fastavro, values, checkpoints, and what is no good file. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  MAX_AVRO_BLOCK_BYTES,
  MAX_AVRO_EMPTY_VALUES,
  MAX_AVRO_SCHEMA_BYTES,
  MAX_INFLATED_BYTES,
  MAX_FILE_RECORD_VALUES,
} from '../../../shared/limits/transfers';
import type { RecordKind } from '../../../shared/domain/identity';
import { readAvro } from '../../../shared/files/avro/read-avro';
import { PeekableBytes } from '../../../shared/files/peekable-bytes';
import type { Checkpoint } from '../../../shared/files/row';
import { avroBlock, avroFile, avroHeader, double, list, long, SYNC, text } from '../../support/avro-files';
import { SeededRandom } from '../../support/seeded-random';
import { inPieces, read, readText } from './reading';

const sample = (name: string) => readFileSync(join(__dirname, 'avro', name));
const options = (kind: RecordKind = 'orders') => ({ kind, format: 'avro' }) as const;
const rowsOf = (content: Buffer, kind?: RecordKind) => readText(content, options(kind));

/** The type of a record with these fields. */
const record = (fields: Readonly<Record<string, unknown>>, name = 'R') => ({
  type: 'record',
  name,
  fields: Object.entries(fields).map(([field, type]) => ({ name: field, type })),
});
const logical = (type: string, logicalType: string, more: object = {}) => ({ type, logicalType, ...more });
const CUSTOMER = record({ Email: 'string' });
const CORRUPT = 'The Avro file is corrupt. Write the file again, and upload it.';

/** The only field's value in a file of one record. */
async function valueOf(type: unknown, bytes: Buffer): Promise<unknown> {
  const rows = await rowsOf(avroFile(record({ OrderId: 'string', V: type }), [[Buffer.concat([text('o'), bytes])]]));
  expect(rows).toHaveLength(1);
  const [, value] = rows[0] as [number, { readonly V?: unknown }];
  return typeof value === 'string' ? value : value.V;
}

describe('a sample of fastavro (R-365)', () => {
  it.each(['null', 'deflate'])('has the records that it must become, with codec %s', async (codec) => {
    const content = sample(`orders-${codec}.avro`);
    const expected = sample('orders-avro.expected.ndjson').toString().trim().split('\n');
    const whole = await read(inPieces(content, 1000), { ...options(), maxRows: 7 });
    expect(whole.damage).toBeUndefined();
    expect(whole.rows).toEqual(
      expected.map((line, index) => ({ line: index + 1, record: JSON.parse(line) as object })),
    );
    // And the rest from each checkpoint, within blocks and between them.
    let done = 0;
    for (const { rows, checkpoint } of whole.chunks) {
      done += rows.length;
      const from = JSON.parse(JSON.stringify(checkpoint)) as Checkpoint;
      const rest = await read(inPieces(content.subarray(from.offset), 333), { ...options(), from });
      expect(rest.rows).toStrictEqual(whole.rows.slice(done));
    }
    const within = whole.chunks.filter(({ checkpoint: { form } }) => form.of === 'avro' && form.skip !== undefined);
    expect([within.length > 0, within.length < whole.chunks.length]).toEqual([true, true]);
  });

  it('never is another one with a flipped bit and deflate, nor fails in another way', async () => {
    const content = sample('orders-deflate.avro');
    const random = new SeededRandom('avro');
    for (let turn = 0; turn < 150; turn += 1) {
      const damaged = Buffer.from(content);
      damaged[Math.floor(random.fraction() * content.length)]! ^= 1 << Math.floor(random.fraction() * 8);
      const { rows } = await read(inPieces(damaged), options());
      expect(rows.length).toBeLessThanOrEqual(60);
    }
  });

  it('that is cut off anywhere has the rows of its whole blocks', async () => {
    const content = sample('orders-null.avro');
    const { rows, chunks } = await read(inPieces(content), { ...options(), maxRows: 1 });
    const ends = chunks.flatMap(({ checkpoint: { form, offset } }, index) => form.of === 'avro' && form.skip === undefined ? [[offset, index + 1] as const] : []); // prettier-ignore
    for (let length = ends[0]![0] - 1; length < content.length; length += 97) {
      const cut = await read(inPieces(content.subarray(0, length)), options());
      const [, whole] = ends.filter(([offset]) => offset <= length).at(-1) ?? [0, 0];
      expect(cut.rows).toStrictEqual(rows.slice(0, whole));
      if (!ends.some(([offset]) => offset === length)) expect(cut.damage).toBeDefined();
    }
  });
});

describe('values (R-366)', () => {
  const micros = (value: bigint) => long(value);
  it.each<[string, unknown, Buffer, unknown]>([
    ['an int', 'int', long(-5), -5],
    ['a long of 2^53 - 1', 'long', long(2 ** 53 - 1), 2 ** 53 - 1],
    ['a long of 2^53, which is no number', 'long', long(2n ** 53n), '9007199254740992'],
    ['the least long', 'long', long(-(2n ** 63n)), '-9223372036854775808'],
    ['a double', 'double', double(10.25), 10.25],
    ['a double that is no number', 'double', double(NaN), 'NaN'],
    ['true', 'boolean', Buffer.from([1]), true],
    ['bytes that are text', 'bytes', text('Zoë'), 'Zoë'],
    ['a decimal', logical('bytes', 'decimal', { scale: 2 }), text(Buffer.from([0x02, 0xd5])), 7.25],
    ['a negative decimal', logical('bytes', 'decimal', { scale: 2 }), text(Buffer.from([0xff])), -0.01],
    ['a decimal without scale', logical('bytes', 'decimal'), text(Buffer.from([0x07])), 7],
    ['a decimal of 19 digits', logical('bytes', 'decimal', { scale: 18 }), text(Buffer.from([0x64, 0x9d, 0x2c, 0x96, 0x7d, 0x95, 0x0, 0x0])), 7.25],
    ['a fixed decimal', { ...logical('fixed', 'decimal', { scale: 5 }), name: 'D', size: 3 }, Buffer.from([0x0b, 0x10, 0x08]), 7.25],
    ['a decimal of many bytes', logical('bytes', 'decimal'), text(Buffer.alloc(1000, 1)), 'a decimal of 1000 bytes'],
    ['a date', logical('int', 'date'), long(20_513), '2026-03-01'],
    ['a date before 1970', logical('int', 'date'), long(-1), '1969-12-31'],
    ['a date of no year', logical('int', 'date'), long(2 ** 31 - 1), '2147483647'],
    ['milliseconds', logical('long', 'timestamp-millis'), long(1_772_368_215_123), '2026-03-01T12:30:15.123Z'],
    ['microseconds', logical('long', 'timestamp-micros'), micros(1_772_368_215_123_456n), '2026-03-01T12:30:15.123456Z'],
    ['nanoseconds', logical('long', 'timestamp-nanos'), micros(1_772_368_215_123_456_789n), '2026-03-01T12:30:15.123456789Z'],
    ['a time before 1970', logical('long', 'timestamp-micros'), micros(-1n), '1969-12-31T23:59:59.999999Z'],
    ['a local time', logical('long', 'local-timestamp-micros'), micros(1_772_368_215_123_456n), '2026-03-01T12:30:15.123456'],
    ['a time of no year', logical('long', 'timestamp-millis'), long(2n ** 62n), '4611686018427387904'],
    ['a logical type that is not known', logical('string', 'uuid'), text('x'), 'x'],
    ['an enum', { type: 'enum', name: 'E', symbols: ['EUR', 'USD'] }, long(1), 'USD'],
    ['null in a union, which is left out (D-59)', ['null', 'string'], long(0), undefined],
    ['another of a union', ['null', 'string'], Buffer.concat([long(1), text('x')]), 'x'],
    ['an array', { type: 'array', items: 'int' }, list(long(1), long(2)), [1, 2]],
    ['an array with its length', { type: 'array', items: 'int' }, Buffer.concat([long(-2), long(2), long(1), long(2), long(0)]), [1, 2]],
    ['a map', { type: 'map', values: ['null', 'int'] }, list(Buffer.concat([text('a'), long(1), long(7)]), Buffer.concat([text('b'), long(0)]), Buffer.concat([text('__proto__'), long(1), long(7)])), { a: 7 }],
    ['a record in a record, without its nulls', record({ A: ['null', 'int'], B: 'string' }, 'S'), Buffer.concat([long(0), text('b')]), { B: 'b' }],
    ['a record that holds itself', record({ Next: ['null', 'ns.N'], __proto__: 'null' }, 'ns.N'), Buffer.concat([long(1), long(0)]), { Next: {} }],
  ])('of %s', async (_, type, bytes, value) => {
    expect(await valueOf(type, bytes)).toStrictEqual(value);
  }); // prettier-ignore

  it('that are no UTF-8 refuse their row alone', async () => {
    const rows = [text('a'), text(Buffer.from([0xe9])), text('b')];
    await expect(rowsOf(avroFile(CUSTOMER, [rows]), 'customers')).resolves.toStrictEqual([
      [1, { Email: 'a' }],
      [2, '! The record is not valid UTF-8.'],
      [3, { Email: 'b' }],
    ]);
  });

  it.each(['null', 'deflate', 'snappy'])('are read with codec %s', async (codec) => {
    await expect(rowsOf(avroFile(CUSTOMER, [[text('a')], [], [text('b'), text('c')]], codec), 'customers')).resolves.toStrictEqual([
      [1, { Email: 'a' }],
      [2, { Email: 'b' }],
      [3, { Email: 'c' }],
    ]);
  }); // prettier-ignore

  it('of a file without records, and without bytes, are none', async () => {
    await expect(rowsOf(avroHeader(CUSTOMER), 'customers')).resolves.toStrictEqual([]);
    await expect(rowsOf(Buffer.alloc(0), 'customers')).resolves.toStrictEqual([]);
  });
});

describe('values that take no bytes (R-365)', () => {
  const NULLS = 200_000;
  const oneOf = (count: number) => Buffer.concat([text('o'), long(count), long(0)]);
  const schema = (items: unknown) => record({ OrderId: 'string', Notes: { type: 'array', items } });
  const fileOf = (records: number) => avroFile(schema('null'), [Array.from({ length: records }, () => oneOf(NULLS))]);

  it('are in memory all the same, so that few of such rows are in a chunk', async () => {
    const { rows, chunks } = await read(inPieces(fileOf(10)), options());
    expect(rows).toHaveLength(10);
    expect(chunks).toHaveLength(10);
  });

  it('end a file that has too many of them, wherever it is read on', async () => {
    const content = fileOf(MAX_AVRO_EMPTY_VALUES / NULLS + 2);
    const { rows, chunks, damage } = await read(inPieces(content), options());
    expect(damage).toMatch(/^The Avro file has more than 10000000 values that take no bytes\. Leave out/);
    expect(rows.length).toBeLessThanOrEqual(MAX_AVRO_EMPTY_VALUES / NULLS + 1);
    const late = JSON.parse(JSON.stringify(chunks.at(-2)!.checkpoint)) as Checkpoint;
    const rest = await read(inPieces(content.subarray(late.offset)), { ...options(), from: late });
    expect([rest.damage, rest.rows.length]).toEqual([damage, 1]);
  });

  it('are not those of fields that are null, of which each takes a byte', async () => {
    const nulls = list(...Array<Buffer>(1_000).fill(long(0)));
    const content = avroFile(schema(['null', 'string']), [[Buffer.concat([text('o'), nulls])]]);
    const { chunks } = await read(inPieces(content), options());
    expect(chunks.map(({ checkpoint: { form } }) => form.of === 'avro' && form.emptyValues)).toEqual([undefined]);
  });
});

describe('packed blocks (R-365)', () => {
  const email = (bytes: number) => text('x'.repeat(bytes));
  const blocks = (count: number, bytes: number) => Array.from({ length: count }, () => [email(bytes), email(bytes)]);
  const inflatedBy = (checkpoint: Checkpoint) => (checkpoint.form.of === 'avro' ? checkpoint.form.inflatedBytes : NaN);

  it.each(['deflate', 'null'])('of long texts are in memory as a whole, so that few of them are in a chunk (%s)', async (codec) => {
    const content = avroFile(CUSTOMER, blocks(8, 600_000), codec);
    const { rows, chunks } = await read(inPieces(content), options('customers'));
    expect([rows.length, Math.max(...chunks.map((chunk) => chunk.rows.length))]).toEqual([16, 2]);
  }); // prettier-ignore

  it('count for what a file may inflate to, each once, wherever it is read on', async () => {
    const content = avroFile(CUSTOMER, blocks(3, 996), 'deflate');
    const { chunks } = await read(inPieces(content), { ...options('customers'), maxRows: 1 });
    const counted = chunks.map(({ checkpoint }) => inflatedBy(checkpoint));
    expect(counted).toEqual([undefined, 2_000 - 4, 1_996, 3_992, 3_992, 5_988]);
    const within = JSON.parse(JSON.stringify(chunks[2]!.checkpoint)) as Checkpoint;
    const rest = await read(inPieces(content.subarray(within.offset)), { ...options('customers'), from: within });
    expect([rest.rows.length, inflatedBy(rest.chunks.at(-1)!.checkpoint)]).toEqual([3, 5_988]);
    const late = { ...within, form: { ...within.form, inflatedBytes: MAX_INFLATED_BYTES - 2_000 } } as Checkpoint;
    const ended = await read(inPieces(content.subarray(within.offset)), { ...options('customers'), from: late });
    expect(ended.rows).toHaveLength(1);
    expect(ended.damage).toBe('The file inflates to more than 34359738368 bytes.');
    const plain = await read(inPieces(avroFile(CUSTOMER, blocks(3, 996))), { ...options('customers'), maxRows: 1 });
    expect(plain.chunks.map(({ checkpoint }) => inflatedBy(checkpoint))).toEqual(Array(6).fill(undefined));
  });

  it('without records are passed over as they are, whatever they inflate to', async () => {
    const empty = avroBlock([Buffer.alloc(1_000_000)], { codec: 'deflate', records: 0 });
    const corrupt = Buffer.concat([long(0), text('no deflate'), SYNC]);
    const full = avroBlock([text('a@x.com')], { codec: 'deflate' });
    const content = Buffer.concat([avroHeader(CUSTOMER, 'deflate'), empty, corrupt, full, empty]);
    const { rows, chunks, damage } = await read(inPieces(content), options('customers'));
    expect([rows, damage]).toEqual([[{ line: 1, record: { Email: 'a@x.com' } }], undefined]);
    expect(inflatedBy(chunks.at(-1)!.checkpoint)).toBe(8);
  });

  it('are passed over record by record where they are read on, so that others get their turn', async () => {
    const content = avroFile(CUSTOMER, [Array.from({ length: 50 }, (_, n) => text(`${n}@x.com`))]);
    const { chunks } = await read(inPieces(content), { ...options('customers'), maxRows: 40 });
    const from = chunks[0]!.checkpoint;
    for await (const records of readAvro(new PeekableBytes(inPieces(content.subarray(from.offset))), from)) {
      const decoded = [...records];
      expect(decoded.filter(({ row }) => row)).toHaveLength(10);
      expect(decoded.filter(({ row }) => !row).map(({ checkpoint }) => checkpoint)).toEqual(Array(40).fill(from));
    }
  });
});

describe('what is no good file (R-365)', () => {
  const deep = (levels: number): unknown => (levels === 0 ? 'int' : { type: 'array', items: deep(levels - 1) });
  const doubling = (levels: number): object => {
    if (levels === 0) return record({ Email: 'null' }, 'Level0');
    return record({ Email: doubling(levels - 1), Name: `Level${levels - 1}` }, `Level${levels}`);
  };
  it.each<[string, Buffer, string | RegExp]>([
    ['text', Buffer.from('Email\na\n'), 'The file is no Avro file. Write it as a container file, or name it after its format.'],
    ['a header that is cut off', avroHeader(CUSTOMER).subarray(0, 40), CORRUPT],
    ['no schema', Buffer.concat([Buffer.from('Obj\x01'), long(0), SYNC]), CORRUPT],
    ['no JSON', avroHeader('{'), 'The schema of the Avro file cannot be read. Write the file again with fastavro or a library of Apache Avro.'],
    ['a type that is unknown', avroHeader(record({ Email: 'text' })), 'The schema of the Avro file cannot be read. Write the file again with fastavro or a library of Apache Avro.'],
    ['no records', avroHeader({ type: 'array', items: 'string' }), 'The Avro file must hold records. Write the file again with a schema of type record.'],
    ['a schema that is too long', avroHeader({ ...CUSTOMER, doc: 'x'.repeat(MAX_AVRO_SCHEMA_BYTES) }), /^The schema of the Avro file must be at most 32768 bytes long/],
    ['a schema that is too deep', avroHeader(record({ Email: deep(40) })), /nested more than 32 levels/],
    ['another codec', avroHeader(CUSTOMER, 'bzip2'), 'The Avro file must be compressed by deflate or snappy, or not at all. Write the file again with deflate.'],
    ['a block longer than the bound', Buffer.concat([avroHeader(CUSTOMER), long(1), long(MAX_AVRO_BLOCK_BYTES + 1)]), /^A block of the Avro file has more than/],
    ['a block of negative length', Buffer.concat([avroHeader(CUSTOMER), long(1), long(-1), SYNC]), CORRUPT],
    ['a bomb of deflate', Buffer.concat([avroHeader(CUSTOMER, 'deflate'), avroBlock([Buffer.alloc(MAX_AVRO_BLOCK_BYTES + 1)], { codec: 'deflate' })]), /^A block of the Avro file has more than/],
    ['deflate that is none', Buffer.concat([avroHeader(CUSTOMER, 'deflate'), avroBlock([text('aaaaaaaaaa')])]), CORRUPT],
    ['a wrong checksum', Buffer.concat([avroHeader(CUSTOMER, 'snappy'), avroBlock([Buffer.from([1, 0, 0x61, 1, 2, 3, 4])])]), CORRUPT],
    ['more records than bytes', Buffer.concat([avroHeader(record({ Email: 'null' })), avroBlock([text('a')], { records: 2 ** 40 })]), CORRUPT],
    ['bytes behind the records', Buffer.concat([avroHeader(CUSTOMER), avroBlock([text('a'), text('b')], { records: 1 })]), CORRUPT],
    ['a number without end', Buffer.concat([avroHeader(CUSTOMER), Buffer.alloc(20, 0xff)]), CORRUPT],
    ['a text longer than the block', avroFile(CUSTOMER, [[long(2 ** 40)]]), CORRUPT],
    ['an index of no type', avroFile(record({ Email: ['null', 'string'] }), [[long(2)]]), CORRUPT],
    ['another sync marker', Buffer.concat([avroHeader(CUSTOMER), avroBlock([text('a')]).subarray(0, -16), Buffer.alloc(16)]), CORRUPT],
    ['very many nulls in a few bytes', avroFile(record({ Email: { type: 'array', items: 'null' } }), [[long(2 ** 40)]]), `A record of the Avro file has more than ${MAX_FILE_RECORD_VALUES} values. Split the record.`],
    ['types that double at each level, in a byte', avroFile(doubling(27), [[Buffer.alloc(1)]]), `A record of the Avro file has more than ${MAX_FILE_RECORD_VALUES} values. Split the record.`],
    ['a record that is nested without end', avroFile(record({ Email: ['null', 'R'] }), [[Buffer.alloc(MAX_AVRO_BLOCK_BYTES - 1, 2)]]), /nested more than 32 levels/],
  ])('as of %s is damage', async (_, content, damage) => {
    const { rows, damage: found } = await read(inPieces(content), options('customers'));
    expect(rows).toEqual([]);
    expect(found).toEqual(typeof damage === 'string' ? damage : expect.stringMatching(damage));
  }); // prettier-ignore
});
