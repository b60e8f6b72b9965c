/** ZIP archives with one entry. */
import { zipSync } from 'fflate';
import { readContent } from '../../../shared/files/packing/content';
import { inflateRaw } from '../../../shared/files/packing/inflate';
import { readRows } from '../../../shared/files/read-rows';
import { unzip } from '../../../shared/files/packing/unzip';
import { MAX_ZIP_END_BYTES } from '../../../shared/limits/transfers';
import { crc32 } from '../../../shared/platform/crc32';
import { SeededRandom } from '../../support/seeded-random';
import { ZIP_DATA_START, zipOf } from '../../support/zip-archives';
import { collect, inPieces } from './reading';

function stored(bytes: Buffer, ...sizes: number[]) {
  return { size: bytes.length, read: (from: number) => inPieces(bytes.subarray(from), ...sizes) };
}

async function unzipped(bytes: Buffer, ...sizes: number[]) {
  const { all, ...end } = await collect(unzip(stored(bytes, ...sizes), inflateRaw, 1_000_000));
  return { content: Buffer.concat(all).toString('latin1'), ...end };
}

const longText = new SeededRandom().bytes(150_000).toString('hex');
const CORRUPT = 'The ZIP archive is corrupt.';

it('has the checksum of ZIP', () => {
  expect(crc32(Buffer.from('123456789'))).toBe(0xcbf43926);
  expect(crc32(Buffer.from('56789'), crc32(Buffer.from('1234')))).toBe(0xcbf43926);
});

describe('unzip (R-364)', () => {
  it.each([
    ['deflated', zipOf('abc'), 'abc'],
    ['stored', zipOf('abc', { method: 0 }), 'abc'],
    ['empty', zipOf(''), ''],
    ['empty and stored', zipOf('', { method: 0 }), ''],
    ['of sizes behind it', zipOf('abc', { flags: 8 }), 'abc'],
    ['stored, of sizes behind it', zipOf('abc', { flags: 8, method: 0 }), 'abc'],
    ['of 64 bits', zipOf('abc', { isLong: true }), 'abc'],
    ['with a comment as long as may be', zipOf('abc', { comment: 'x'.repeat(65_535) }), 'abc'],
    ['with a comment that looks like an end', zipOf('abc', { comment: 'PK\x05\x06'.padEnd(200, '\0') }), 'abc'],
    ['much longer than a piece', zipOf(longText), longText],
    ['much longer than a piece and stored', zipOf(longText, { method: 0 }), longText],
    ['of another writer', Buffer.from(zipSync({ 'a.csv': Buffer.from(longText) }, { level: 9 })), longText],
    ['of another writer, stored', Buffer.from(zipSync({ 'a.csv': Buffer.from('abc') }, { level: 0 })), 'abc'],
  ])('gives the content of an entry %s, whatever the pieces', async (_, bytes, content) => {
    await expect(unzipped(bytes)).resolves.toStrictEqual({ content });
    await expect(unzipped(bytes, bytes.length > 1000 ? 997 : 1)).resolves.toStrictEqual({ content });
  });

  const entriesMessage = (count: number) =>
    `The ZIP archive has ${count} entries; it must have one. Make an archive of each file, without its folder.`;
  it.each([
    ['no entry', zipOf('abc', { entries: 0 }), entriesMessage(0)],
    ['two entries', zipOf('abc', { entries: 2 }), entriesMessage(2)],
    ['70,000 entries', zipOf('', { entries: 70_000, isLong: true }), entriesMessage(70_000)],
    ['an encrypted entry', zipOf('abc', { flags: 1 }), 'The ZIP archive is encrypted. Make it without a password.'],
    ['LZMA', zipOf('abc', { method: 14 }), 'The ZIP archive is compressed by method 14; only deflate is read.'],
    ['a bomb', zipOf('abc', { bytes: 1_000_001 }), 'The file inflates to more than 1000000 bytes.'],
    ['text', Buffer.from('Email\na@b.c\n'), 'The file is no ZIP archive, or is cut off.'],
    ['nothing', Buffer.alloc(0), 'The file is no ZIP archive, or is cut off.'],
    ['ends of archives alone', Buffer.alloc(500_000, 'PK\x05\x06'), 'The file is no ZIP archive, or is cut off.'],
  ])('says what is wrong with %s before it yields anything', async (_, bytes, damage) => {
    await expect(unzipped(bytes)).resolves.toStrictEqual({ content: '', damage });
  });

  it('yields no more than what the entry says, and then that it is corrupt', async () => {
    const bomb = zipOf(Buffer.alloc(900_000), { bytes: 10 });
    expect(await unzipped(bomb)).toStrictEqual({ content: '', damage: CORRUPT });
    const short = zipOf('abc', { bytes: 4 });
    expect(await unzipped(short)).toStrictEqual({ content: 'abc', damage: CORRUPT });
    expect(await unzipped(zipOf('abc', { crc: 1 }))).toStrictEqual({ content: 'abc', damage: CORRUPT });
    expect(await unzipped(zipOf('abc', { crc: 1, method: 0 }))).toStrictEqual({ content: 'abc', damage: CORRUPT });
  });

  it('never takes an archive with a flipped bit for whole with another content, nor fails in another way', async () => {
    const random = new SeededRandom('zip');
    for (const archive of [
      zipOf(longText.slice(0, 500)),
      zipOf('abc', { isLong: true }),
      zipOf('abc', { method: 0 }),
    ]) {
      const content = (await unzipped(archive)).content;
      for (let bit = 0; bit < 8 * archive.length; bit += 1 + Math.floor(random.fraction() * 8)) {
        const damaged = Buffer.from(archive);
        damaged[bit >> 3]! ^= 1 << (bit & 7);
        const read = await unzipped(damaged);
        if (read.damage === undefined) expect(read.content).toBe(content);
      }
    }
  });

  it.each([1, 21, 22, 60, 100])('finds that %i bytes are missing at the end', async (missing) => {
    const { damage } = await unzipped(zipOf(longText).subarray(0, -missing));
    expect(damage).toBe('The file is no ZIP archive, or is cut off.');
  });

  it('finds an entry whose deflate data end early, or which lies elsewhere', async () => {
    const archive = zipOf(longText);
    archive.fill(0, ZIP_DATA_START, ZIP_DATA_START + 100);
    expect((await unzipped(archive)).damage).toBe(CORRUPT);
    const moved = zipOf('abc');
    moved.fill(0xee, moved.length - 6, moved.length - 2);
    expect((await unzipped(moved)).damage).toBe(CORRUPT);
  });

  it('reads no more of the end than the bound says', async () => {
    const archive = zipOf(new SeededRandom().bytes(1_000_000), { method: 0 });
    const file = stored(archive, 4_096);
    const offsets: number[] = [];
    const read = (from: number) => {
      offsets.push(from);
      return file.read(from);
    };
    for await (const _ of unzip({ ...file, read }, inflateRaw));
    expect(offsets).toEqual([archive.length - MAX_ZIP_END_BYTES, 0]);
  });

  it('goes on from any checkpoint, as a gzip file does', async () => {
    const lines = Array.from({ length: 50 }, (_, index) => `{"Email":"${index}@b.c"}\n`).join('');
    const archive = stored(zipOf(lines), 61);
    const options = { kind: 'customers', format: 'ndjson' } as const;
    const packing = { gzip: false, zip: true } as const;
    const { all } = await collect(
      readRows(readContent(archive, { ...packing, format: options.format }, 0), { ...options, maxRows: 7 }),
    );
    expect(all.flatMap(({ rows }) => rows)).toHaveLength(50);
    let done = 0;
    for (const { rows, checkpoint } of all) {
      done += rows.length;
      const rest = await collect(
        readRows(readContent(archive, { ...packing, format: options.format }, checkpoint.offset), {
          ...options,
          from: checkpoint,
        }),
      );
      expect(rest.all.flatMap((chunk) => chunk.rows)).toHaveLength(50 - done);
    }
  });
});
