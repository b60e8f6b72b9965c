import { toMarkdown } from './report';
import type { SuiteResult } from './suite';
import { isMet } from './suite';

const SUITE: SuiteResult = {
  suite: 'upserts',
  tables: [
    {
      title: 'Times',
      columns: ['request', 'ms', 'peer'],
      rows: [
        ['customers', 123.456, null],
        ['orders', 1.23456, 12_345.6],
      ],
    },
  ],
  bars: [
    { name: 'fast enough', value: 1.5, limit: 1.6, must: 'stay at or below' },
    { name: 'twice the peer', value: 1.9, limit: 2, must: 'reach' },
  ],
  chart: {
    title: 'Time',
    unit: '×',
    values: [
      { label: 'floor', value: 1 },
      { label: 'the peer', value: 4 },
    ],
  },
  notes: ['A note.'],
  samples: [],
};

function markdown(quick = false): string {
  const machine = { cpu: 'Xeon', cores: 2, memoryGiB: 23, node: 'v20' };
  return toMarkdown({ date: '2026-03-01', machine, rounds: 5, quick, suites: [SUITE] });
}

describe('toMarkdown', () => {
  it('names the machine, the date and the rounds', () => {
    expect(markdown().split('\n')[0]).toBe('Measured on 2026-03-01: Xeon, 2 cores, 23 GiB, Node.js v20, 5 rounds.');
  });

  it('says of a quick run that it proves nothing', () => {
    expect(markdown(true)).toContain('Quick run');
    expect(markdown(false)).not.toContain('Quick run');
  });

  it('writes tables with three digits that count, and a dash for what was not measured', () => {
    expect(markdown()).toContain(
      ['| request | ms | peer |', '| --- | --: | --: |', '| customers | 123 | – |', '| orders | 1.23 | 12,346 |'].join(
        '\n',
      ),
    );
  });

  it('says which bars are met and which are missed', () => {
    expect(markdown()).toContain('| fast enough | 1.5 | ≤ 1.6 | met |');
    expect(markdown()).toContain('| twice the peer | 1.9 | ≥ 2 | **missed** |');
  });

  it('draws the longest bar over the whole width and the others in proportion', () => {
    const lines = markdown().split('\n');
    expect(lines).toContain(`the peer  ${'█'.repeat(40)} 4 ×`);
    expect(lines).toContain(`floor     ${'█'.repeat(10)} 1 ×`);
  });
});

describe('isMet', () => {
  it('takes the limit itself as met, on either side', () => {
    expect(isMet({ name: '', value: 2, limit: 2, must: 'reach' })).toBe(true);
    expect(isMet({ name: '', value: 2, limit: 2, must: 'stay at or below' })).toBe(true);
    expect(isMet({ name: '', value: 2.1, limit: 2, must: 'stay at or below' })).toBe(false);
  });
});
