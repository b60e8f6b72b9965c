import type { CountedLoad } from './hot-documents';
import { hottestFirst, writtenDocuments } from './hot-documents';

function load(seconds: number, ...calls: [endMs: number, ...written: string[]][]): CountedLoad {
  return { name: 'a load', seconds, calls: calls.map(([endMs, ...written]) => ({ endMs, written })) };
}

describe('writtenDocuments', () => {
  it('counts a document as often as it is written, also twice in one call', () => {
    const documents = writtenDocuments(load(10, [0, 'a/1', 'a/2', 'a/1'], [10_000, 'a/1']));
    expect(documents.map(({ path, writes }) => [path, writes])).toEqual([
      ['a/1', 3],
      ['a/2', 1],
    ]);
  });

  it('does not spread the writes of a part of the load over all of it', () => {
    const [document] = writtenDocuments(load(100, [0, 'a/1'], [10_000, 'a/1'], [20_000, 'a/1', 'a/1']));
    expect(document?.writesPerSecond).toBe(3 / 20);
  });

  it('takes writes of one moment as writes of ten seconds, or of a load that is shorter', () => {
    const calls: [number, string][] = [
      [5, 'a/1'],
      [6, 'a/1'],
    ];
    expect(writtenDocuments(load(100, ...calls))[0]?.writesPerSecond).toBe(0.1);
    expect(writtenDocuments(load(2, ...calls))[0]?.writesPerSecond).toBe(0.5);
    expect(writtenDocuments(load(0.1, ...calls))[0]?.writesPerSecond).toBe(1);
  });

  it('says that what is written every second is written once a second', () => {
    const calls = Array.from({ length: 61 }, (_, second): [number, string] => [second * 1000, 'a/1']);
    expect(writtenDocuments(load(100, ...calls))[0]?.writesPerSecond).toBe(1);
  });

  it('has the hottest first', () => {
    const documents = writtenDocuments(load(10, [0, 'a/1'], [1, 'a/2'], [2, 'a/2']));
    expect(hottestFirst(documents.toReversed()).map(({ path }) => path)).toEqual(['a/2', 'a/1']);
  });

  it.each([
    ['rateCounters/hash.29', 'rate counter'],
    ['transferRuns/run', 'progress of a run or file'],
    ['transferRuns/run/files/file/leases/0', 'progress of a run or file'],
    ['tenants/t/deletionFlags/customers', 'flag'],
    ['tenants/t/raisedFlags/customers', 'flag'],
    ['tenants/t/deletions/customers-id', 'pending deletion'],
    ['tenants/t/customers/id', 'other'],
    ['tenants/t', 'other'],
  ])('tells what %s is', (path, sort) => {
    expect(writtenDocuments(load(10, [0, path]))).toMatchObject([{ path, sort }]);
  });
});
