/**
 * Reads the container files of Avro. Its blocks are read one after the other, each of them whole. A checkpoint
 * is after a block, or after so many records of one.
 */
import {
  MAX_AVRO_BLOCK_BYTES,
  MAX_AVRO_EMPTY_VALUES,
  MAX_AVRO_HEADER_BYTES,
  MAX_AVRO_SCHEMA_BYTES,
} from '../../limits/transfers';
import { EventLoopShare } from '../../platform/async/event-loop-share';
import { crc32 } from '../../platform/crc32';
import { BadData } from '../binary/bad-data';
import { inflateBytes } from '../binary/inflate-bytes';
import { unsnappy } from '../binary/snappy';
import { DamagedFile, requireInflatedAtMost } from '../damaged-file';
import type { PeekableBytes } from '../peekable-bytes';
import type { Checkpoint, DecodedRecord, Form } from '../row';
import { badRow } from '../row';
import { AvroCursor, CORRUPT_AVRO } from './avro-cursor';
import { compileAvroSchema } from './avro-schema';

type AvroForm = Extract<Form, { readonly of: 'avro' }>;

const MAGIC = Buffer.from('Obj\x01');
const SYNC_BYTES = 16;
/** The longest number takes ten bytes. A block begins with two. */
const BLOCK_HEAD_BYTES = 20;
/** Bytes of a value in memory, at least: of a field, or an element of a list. */
const VALUE_BYTES = 8;
const TOO_EMPTY = `The Avro file has more than ${MAX_AVRO_EMPTY_VALUES} values that take no bytes. Leave out what is always null.`;
const CODECS: readonly string[] = ['null', 'deflate', 'snappy'];

interface Block {
  readonly records: number;
  readonly data: Buffer;
  /** What it was inflated to; 0: it was not packed. */
  readonly inflatedBytes: number;
  readonly offset: number;
  readonly nextOffset: number;
}

/** What is counted over all blocks of a file. */
interface Account {
  /** As of the form of a checkpoint. */
  emptyValues: number;
  inflatedBytes: number;
}

interface BlockStart {
  readonly form: AvroForm;
  /** Of the first record of the block. */
  readonly line: number;
  /** How many of its records are passed over. */
  readonly skip: number;
  readonly account: Account;
}

/**
 * The records of a file from a checkpoint on, block by block.
 * @throws DamagedFile where nothing after the last record can be read
 */
export async function* readAvro(
  bytes: PeekableBytes,
  from: Checkpoint,
): AsyncGenerator<Iterable<DecodedRecord>, void, undefined> {
  const start = from.form.of === 'avro' ? { ...from, form: from.form } : await readHeader(bytes, from.offset);
  if (!start) return;
  const { skip = 0, emptyValues = 0, inflatedBytes = 0, ...form } = start.form;
  const account: Account = { emptyValues, inflatedBytes };
  const read = compileAvroSchema(form.schema);
  const share = new EventLoopShare();
  let { line, offset } = start;
  line -= skip;
  let skipped = skip;
  for (;;) {
    const block = await readBlock(bytes, offset, form, share);
    if (!block) return;
    requireInflatedAtMost(account.inflatedBytes + block.inflatedBytes);
    yield decodeBlock(block, read, { form, line, skip: skipped, account });
    line += block.records;
    offset = block.nextOffset;
    skipped = 0;
  }
}

/** What a file begins with; undefined: it is empty. */
async function readHeader(
  bytes: PeekableBytes,
  offset: number,
): Promise<(Checkpoint & { form: AvroForm }) | undefined> {
  const head = (await bytes.peek(MAX_AVRO_HEADER_BYTES)).subarray(0, MAX_AVRO_HEADER_BYTES);
  if (head.length === 0) return undefined;
  if (!MAGIC.equals(head.subarray(0, MAGIC.length)))
    throw new DamagedFile('The file is no Avro file. Write it as a container file, or name it after its format.');
  const cursor = new AvroCursor(head);
  cursor.take(MAGIC.length);
  const metadata = new Map<string, Buffer>();
  for (let left = cursor.long(); left !== 0; left = cursor.long()) {
    if (left < 0) cursor.long(); // the length of the block
    for (left = Math.abs(left); left > 0; left -= 1) {
      metadata.set(cursor.take(cursor.count()).toString(), cursor.take(cursor.count()));
    }
  }
  const sync = cursor.take(SYNC_BYTES).toString('latin1');
  const schema = metadata.get('avro.schema');
  if (!schema) throw new DamagedFile(CORRUPT_AVRO);
  if (schema.length > MAX_AVRO_SCHEMA_BYTES) {
    throw new DamagedFile(
      `The schema of the Avro file must be at most ${MAX_AVRO_SCHEMA_BYTES} bytes long. Leave out descriptions (doc), and fields that are not of the API.`,
    );
  }
  const codec = metadata.get('avro.codec')?.toString() ?? 'null';
  if (!CODECS.includes(codec)) {
    throw new DamagedFile(
      `The Avro file must be compressed by ${CODECS.slice(1).join(' or ')}, or not at all. Write the file again with deflate.`,
    );
  }
  bytes.drop(cursor.at);
  return { offset: offset + cursor.at, line: 1, form: { of: 'avro', schema: schema.toString(), codec, sync } };
}

/** The next block; undefined: the file ends. */
async function readBlock(
  bytes: PeekableBytes,
  offset: number,
  { codec, sync }: AvroForm,
  share: EventLoopShare,
): Promise<Block | undefined> {
  const head = new AvroCursor((await bytes.peek(BLOCK_HEAD_BYTES)).subarray(0, BLOCK_HEAD_BYTES));
  if (head.isAtEnd) return undefined;
  const records = head.count();
  const size = head.count();
  if (size > MAX_AVRO_BLOCK_BYTES) throw new DamagedFile(tooLarge());
  const length = head.at + size + SYNC_BYTES;
  const all = await bytes.peek(length);
  if (all.length < length) throw new DamagedFile('The Avro file is cut off. Upload the whole file again.');
  const packed = Buffer.from(all.subarray(head.at, head.at + size));
  if (all.subarray(head.at + size, length).toString('latin1') !== sync) throw new DamagedFile(CORRUPT_AVRO);
  bytes.drop(length);
  const place = { offset, nextOffset: offset + length };
  // What is in a block without records is nothing: a few bytes of them could be inflated for hours.
  if (records === 0) return { records, data: packed, inflatedBytes: 0, ...place };
  const data = await unpack(packed, codec, share);
  // Each record takes a byte at least: otherwise a few bytes could be any number of them.
  if (records > data.length) throw new DamagedFile(CORRUPT_AVRO);
  return { records, data, inflatedBytes: codec === 'null' ? 0 : data.length, ...place };
}

function* decodeBlock(
  block: Block,
  read: (cursor: AvroCursor) => unknown,
  { form, line, skip, account }: BlockStart,
): Generator<DecodedRecord, void, undefined> {
  const { records, data, offset, nextOffset } = block;
  const cursor = new AvroCursor(data);
  const after = (): AvroForm => {
    const { emptyValues, inflatedBytes } = account;
    return { ...form, ...(emptyValues > 0 && { emptyValues }), ...(inflatedBytes > 0 && { inflatedBytes }) };
  };
  if (records === 0) yield { checkpoint: { offset: nextOffset, line, form: after() } };
  const start = { offset, line: line + skip, form: { ...after(), ...(skip > 0 && { skip }) } };
  for (let index = 0; index < records; index += 1) {
    cursor.startRecord();
    const begin = cursor.at;
    const record = read(cursor);
    const isLast = index === records - 1;
    if (isLast && !cursor.isAtEnd) throw new DamagedFile(CORRUPT_AVRO);
    const values = cursor.recordValues;
    if (index < skip) {
      yield { checkpoint: start }; // so that passing over records holds the event loop no longer than reading them
      continue;
    }
    account.emptyValues += Math.max(0, values - (cursor.at - begin));
    if (account.emptyValues > MAX_AVRO_EMPTY_VALUES) throw new DamagedFile(TOO_EMPTY);
    const position = { line: line + index };
    const row = cursor.problem === undefined ? { ...position, record } : badRow(position, cursor.problem);
    const next = position.line + 1;
    if (isLast) account.inflatedBytes += block.inflatedBytes;
    const checkpoint = isLast
      ? { offset: nextOffset, line: next, form: after() }
      : { offset, line: next, form: { ...after(), skip: index + 1 } };
    yield { row, checkpoint, bytes: values * VALUE_BYTES + cursor.at - begin };
  }
}

async function unpack(packed: Buffer, codec: string, share: EventLoopShare): Promise<Buffer> {
  try {
    if (codec === 'null') return packed;
    if (codec === 'deflate') return await inflateBytes(packed, 'deflate-raw', MAX_AVRO_BLOCK_BYTES);
    return await unsnappyChecked(packed, share);
  } catch (error) {
    if (!(error instanceof BadData)) throw error;
    throw new DamagedFile(error.flaw === 'corrupt' ? CORRUPT_AVRO : tooLarge());
  }
}

/** The checksum of the data follows it. */
async function unsnappyChecked(packed: Buffer, share: EventLoopShare): Promise<Buffer> {
  const end = packed.length - 4;
  if (end < 0) throw new BadData();
  const data = await unsnappy(packed.subarray(0, end), MAX_AVRO_BLOCK_BYTES, share);
  const { buffer, byteOffset } = packed;
  if (new DataView(buffer, byteOffset + end, 4).getUint32(0) !== crc32(data)) throw new BadData();
  return data;
}

function tooLarge(): string {
  return `A block of the Avro file has more than ${MAX_AVRO_BLOCK_BYTES} bytes. Write smaller ones (sync interval).`;
}
