import type { Run } from '../../../../../client/src/index';
import { secondsBetween } from '../../format/times';
import { toSpan } from '../../format/numbers';
import { Badge } from '../../parts/badge';
import { Count } from '../../parts/count';
import { Table } from '../../parts/table';
import { Time } from '../../parts/time';
import { useLink } from '../../state/console-context';
import { TEXTS } from '../../texts';
import { rowColumns } from './row-columns';

/** Runs of one tenant, each with the way to its page. */
export function RunTable({ runs }: { readonly runs: readonly Run[] }) {
  const linkTo = useLink();
  const texts = TEXTS.runs;
  return (
    <Table
      label={texts.table}
      rows={runs}
      keyOf={({ RunId }) => RunId}
      columns={[
        {
          title: texts.started,
          cell: ({ RunId, StartedAt }) => (
            <a href={linkTo('runs', RunId)}>
              <Time at={StartedAt} />
            </a>
          ),
        },
        { title: texts.status, cell: ({ Status }) => <Badge status={Status} /> },
        { title: texts.kind, cell: ({ Kind }) => kindOf(Kind) },
        { title: texts.bucket, cell: ({ BucketName }) => <code>{BucketName}</code> },
        ...rowColumns<Run>(({ Rows }) => Rows),
        { title: texts.failedFiles, isNumber: true, cell: ({ Files }) => <Count count={Files?.Failed} isBad /> },
        {
          title: texts.took,
          isNumber: true,
          cell: ({ StartedAt, FinishedAt }) =>
            FinishedAt === null ? '–' : toSpan(secondsBetween(StartedAt, FinishedAt)),
        },
      ]}
    />
  );
}

/** What started a run, in words. */
export function kindOf(kind: Run['Kind']): string {
  return kind === null ? TEXTS.run.kinds.unknown : TEXTS.run.kinds[kind];
}
