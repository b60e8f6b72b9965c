/** Snappy and LZ4, which are unpacked with pauses, and without a native call for each byte. */
import { BadData } from '../../../shared/files/binary/bad-data';
import { unlz4 } from '../../../shared/files/binary/lz4';
import { PackedBlock } from '../../../shared/files/binary/packed-block';
import { unsnappy } from '../../../shared/files/binary/snappy';
import { EventLoopShare } from '../../../shared/platform/async/event-loop-share';
import { packedLiterals, packedOnes } from '../../support/parquet-files';
import { CountedShare } from './counted-share';

const share = new EventLoopShare();

afterEach(() => jest.restoreAllMocks());

describe('Snappy', () => {
  it('repeats what it has written, also what a copy is still writing', async () => {
    const packed = Buffer.from([11, 2 << 2, 0x61, 0x62, 0x63, ((8 - 1) << 2) | 2, 3, 0]);
    expect((await unsnappy(packed, 100, share)).toString()).toBe('abcabcabcab');
  });

  it.each([
    ['more than is said', [2, 2 << 2, 0x61, 0x62, 0x63]],
    ['less than is said', [4, 2 << 2, 0x61, 0x62, 0x63]],
    ['a copy from before the start', [9, 0, 0x61, (7 << 2) | 2, 9, 0]],
    ['a copy of no distance', [9, 0, 0x61, (7 << 2) | 2, 0, 0]],
    ['a literal that is cut off', [9, 8 << 2, 0x61]],
    ['nothing', []],
  ])('refuses %s', async (_, packed) => {
    await expect(unsnappy(Buffer.from(packed), 100, share)).rejects.toThrow(BadData);
  });
});

describe('LZ4', () => {
  it.each([1, 2, 3, 7, 100])('makes a long copy of %i bytes, over and over', async (back) => {
    const start = Buffer.from(Array.from({ length: back }, (_, index) => index));
    const length = back + 1_000;
    const literal = back < 15 ? Buffer.from([(back << 4) | 15]) : Buffer.from([0xff, back - 15]);
    const copy = Buffer.from([back, 0, 255, 255, 255, 1_000 - 19 - 3 * 255]);
    const content = await unlz4(Buffer.concat([literal, start, copy]), length, share);
    expect(content).toEqual(Buffer.from(Array.from({ length }, (_, index) => index % back)));
  });

  it('refuses a length as soon as there is no room for it', async () => {
    const next = jest.spyOn(PackedBlock.prototype, 'next');
    await expect(unlz4(Buffer.alloc(10_000, 255), 2_550, share)).rejects.toThrow(BadData);
    expect(next.mock.calls.length).toBeLessThan(20);
  });
});

describe.each([
  ['Snappy', 1, unsnappy],
  ['LZ4', 7, unlz4],
] as const)('%s', (_, codec, unpack) => {
  const length = 100_000;

  it('lets others have the event loop between its parts, however few bytes they have', async () => {
    const pauses = new CountedShare();
    const packed = packedLiterals(codec, length);
    expect((await unpack(packed, length, pauses)).equals(Buffer.alloc(length, 1))).toBe(true);
    expect(pauses.renewals).toBe(codec === 1 ? 10 : 2);
  });

  it('makes no native call for a short literal', async () => {
    const packed = packedLiterals(codec, length);
    const set = jest.spyOn(Uint8Array.prototype, 'set');
    const subarray = jest.spyOn(Uint8Array.prototype, 'subarray');
    await unpack(packed, length, share);
    expect(set.mock.calls.length + subarray.mock.calls.length).toBeLessThan(10);
  });

  it('unpacks what is one byte and copies of it', async () => {
    const content = await unpack(packedOnes(codec, length), length, share);
    expect(content.equals(Buffer.alloc(length, 1))).toBe(true);
  });
});
