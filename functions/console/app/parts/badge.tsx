import type { Run, RunFile } from '../../../../client/src/index';
import { TEXTS } from '../texts';

type Status = Run['Status'] | RunFile['Status'];

const LOOKS: Readonly<Record<Status, 'good' | 'bad' | 'warning' | 'busy' | 'plain'>> = {
  running: 'busy',
  succeeded: 'good',
  partial: 'warning',
  failed: 'bad',
  cancelled: 'plain',
  waiting: 'plain',
  finished: 'good',
  skipped: 'plain',
};

/** The status of a run or file: told by its word, and shown by its colour. */
export function Badge({ status }: { readonly status: Status }) {
  return <span class={`badge ${LOOKS[status]}`}>{TEXTS.status[status]}</span>;
}
