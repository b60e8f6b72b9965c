import { sliceCommits } from './slice-commits';

function call(method: string, status: number, written: string[] = [], writesRecords = true) {
  return { method, status, written, writesRecords };
}

const isRecord = (path: string) => path.startsWith('r');

describe('sliceCommits', () => {
  it('counts the records of commits that were stored, not what is written beside them', () => {
    const calls = [
      call('Commit', 0, ['r1', 'r2', 'r3', 'progress']),
      call('Commit', 0, ['r4', 'lease']),
      call('Commit', 0, ['progress'], false),
      call('BatchWrite', 0, ['r5']),
    ];
    expect(sliceCommits(calls, isRecord)).toEqual({ stored: 2, meanRows: 2, aborted: 0, inConflict: 0 });
  });

  it('tells what was aborted, in whatever call, from what was in conflict', () => {
    const calls = [
      call('Commit', 10),
      call('BatchGetDocuments', 10, [], false),
      call('Commit', 9),
      call('Rollback', 0, [], false),
    ];
    expect(sliceCommits(calls, isRecord)).toEqual({ stored: 0, meanRows: 0, aborted: 2, inConflict: 2 });
  });
});
