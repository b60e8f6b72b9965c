/**
 * Promise: a transfer is exact after any crash. Here: gzip and ZIP that are cut off or have a flipped bit, and objects
 * that are replaced while they are read. The counts tell exactly what is stored.
 */
import { gzipSync } from 'node:zlib';
import { FILE_CHUNK_ROWS } from '../../shared/limits/transfers';
import type { ObjectStorage } from '../../shared/transfers/object-storage';
import { overriding } from '../support/overriding';
import { SeededRandom } from '../support/seeded-random';
import { useTransferLab } from '../support/transfer-lab';
import { zipDataOf, zipOf } from '../support/zip-archives';
import { KNOWN_BY_ID } from '../transfers/numbered-customers';
import { FAULTS_SEED, ofTier, report } from './tier';

const CASES = ofTier(6, 300);
/** More than a chunk. */
const ROWS = FILE_CHUNK_ROWS + 50;

const lab = useTransferLab();

interface Stored {
  readonly CustomerId: string;
  readonly Name?: string;
}

function exported(random: SeededRandom, name: string): readonly Stored[] {
  return Array.from({ length: ROWS }, (_, index) => ({
    CustomerId: `c${index}`,
    Name: `${name} ${random.bytes(12).toString('base64url')}`,
  }));
}

const toText = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const toGzip = (rows: readonly object[]) => gzipSync(toText(rows));

/** The damaged file, and whether what can be read of it is as it was written. */
type Damage = (content: Buffer, random: SeededRandom) => { readonly content: Buffer; readonly isPrefix: boolean };

const cut: Damage = (content, random) => ({
  content: content.subarray(0, Math.floor(random.fraction() * content.length)),
  isPrefix: true,
});

/** Not in the header, nor in the directory of an archive: most of their bits mean nothing. */
const flip: Damage = (content, random) => {
  const damaged = Buffer.from(content);
  const [start, end] = content[0] === 0x50 ? zipDataOf(content) : [10, content.length];
  const at = start + Math.floor(random.fraction() * (end - start));
  damaged[at] = damaged[at]! ^ (1 << Math.floor(random.fraction() * 8));
  return { content: damaged, isPrefix: false };
};

it('a damaged file never counts as finished, and its counts are what is stored', async () => {
  const random = new SeededRandom(`damage ${FAULTS_SEED}`);
  const wrong: string[] = [];
  for (let number = 0; number < CASES; number += 1) {
    const { tenant, bucket } = await lab().openShop(KNOWN_BY_ID);
    const rows = exported(random, 'n');
    const isZip = number % 4 > 1;
    const whole = isZip ? zipOf(toText(rows)) : toGzip(rows);
    const { content, isPrefix } = (number % 2 === 0 ? cut : flip)(whole, random);
    bucket.put(`customers.ndjson.${isZip ? 'zip' : 'gz'}`, content);
    const { status, files, rows: counts } = await lab().run(tenant, bucket);
    const stored = (await lab().records(tenant, 'customers')) as Stored[];
    const problems = [
      ...(status === 'partial' && files.failed === 1 && files.finished === 0 ? [] : [`it ended as ${status}`]),
      ...(counts.read === counts.stored + counts.invalid + counts.stale + counts.deleted
        ? []
        : ['the counts do not add up']),
      // A flipped bit may make one id of two, so that the later row changes the record of the earlier one.
      ...(isPrefix ? stored.length === counts.stored : stored.length <= counts.stored) ? [] : [`${stored.length} records, ${counts.stored} counted`], // prettier-ignore
      ...(isPrefix && !isSame(stored, rows.slice(0, stored.length)) ? ['it is not the beginning of the file'] : []),
    ];
    wrong.push(...problems.map((problem) => `${number}: ${problem}`));
  }
  report('a damaged file is counted exactly', CASES, wrong.length);
  expect(wrong).toEqual([]);
});

it('of an object that is replaced while it is read, the new generation is what is stored', async () => {
  const random = new SeededRandom(`replaced ${FAULTS_SEED}`);
  const wrong: string[] = [];
  for (let number = 0; number < CASES; number += 1) {
    const { tenant, bucket } = await lab().openShop(KNOWN_BY_ID);
    const rows = exported(random, 'new');
    bucket.put('customers.ndjson.gz', toGzip(exported(random, 'old')), new Date(Date.now() - 60_000));
    const reads = Math.floor(random.fraction() * 3);
    const { status, rows: counts } = await lab().run(tenant, bucket, {
      overrides: {
        // A step hands over after each chunk, so that the file is opened several times.
        stepSeconds: 0,
        storage: replacingBeforeRead(lab().storage, reads, () => bucket.put('customers.ndjson.gz', toGzip(rows))),
      },
    });
    const stored = (await lab().records(tenant, 'customers')) as Stored[];
    const isExact = isSame(stored, rows) && counts.read === counts.stored && counts.stored >= ROWS;
    if (status !== 'succeeded' || !isExact)
      wrong.push(`${number}, at read ${reads}: ${status} ${JSON.stringify(counts)}`);
  }
  report('a replaced object is read as it is now', CASES, wrong.length);
  expect(wrong).toEqual([]);
});

/** Storage in which an object changes just before its content is read for the time that `reads` says, from 0. */
function replacingBeforeRead(storage: ObjectStorage, reads: number, replace: () => void): ObjectStorage {
  let read = 0;
  return overriding(storage, {
    read: (...object) => {
      if (read === reads) replace();
      read += 1;
      return storage.read(...object);
    },
  });
}

function isSame(stored: readonly Stored[], expected: readonly Stored[]): boolean {
  const texts = (rows: readonly Stored[]) => rows.map(({ CustomerId, Name }) => `${CustomerId} ${Name ?? ''}`).sort();
  return JSON.stringify(texts(stored)) === JSON.stringify(texts(expected));
}
