import { toCount, toDuration, toNumber } from '../output/format';
import type { Counts } from './journal';

const BAR_WIDTH = 12;

export interface ProgressFacts {
  readonly counts: Counts;
  /** Rows that an interrupted push had acknowledged before. */
  readonly rowsBefore: number;
  /** How much of the file is accounted for now, and was when this push began; undefined: its size is not known. */
  readonly share: number | undefined;
  readonly shareBefore: number;
  readonly seconds: number;
  /** A bar is for terminals. */
  readonly hasBar: boolean;
}

/** `[=====>      ]  47 %  47,000 rows  3,200 rows/s  0:16 left  3 rejected` */
export function progressLine({ counts, rowsBefore, share, shareBefore, seconds, hasBar }: ProgressFacts): string {
  const rows = counts.stored + counts.deleted + counts.rejected;
  const rate = seconds > 0 ? (rows - rowsBefore) / seconds : 0;
  const parts = [toCount(rows, 'row'), `${toNumber(rate)} rows/s`];
  if (share !== undefined) {
    parts.unshift(`${hasBar ? `${bar(share)} ` : ''}${String(Math.floor(share * 100)).padStart(hasBar ? 3 : 0)} %`);
    const shareNow = share - shareBefore;
    if (shareNow > 0 && seconds > 0) parts.push(`${toDuration(((1 - share) * seconds) / shareNow)} left`);
  }
  if (counts.rejected > 0) parts.push(`${toNumber(counts.rejected)} rejected`);
  return parts.join('  ');
}

function bar(share: number): string {
  const done = Math.min(BAR_WIDTH, Math.floor(share * BAR_WIDTH));
  return `[${'='.repeat(done)}${done < BAR_WIDTH ? '>' : ''}${' '.repeat(Math.max(0, BAR_WIDTH - done - 1))}]`;
}
