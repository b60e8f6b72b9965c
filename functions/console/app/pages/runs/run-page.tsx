import { useEffect } from 'preact/hooks';
import type { RunWithExamples } from '../../../../../client/src/index';
import { systemClock } from '../../../../../shared/platform/clock';
import { paceOf } from '../../format/pace';
import { toSpan } from '../../format/numbers';
import { secondsBetween, toLocalTime } from '../../format/times';
import { Badge } from '../../parts/badge';
import { Facts } from '../../parts/facts';
import { Folders } from '../../parts/folders';
import { Loading } from '../../parts/list-end';
import { Notice } from '../../parts/notice';
import { Problem } from '../../parts/problem';
import { Time } from '../../parts/time';
import { toLink } from '../../state/address';
import { useConsole, useLink, useTenant } from '../../state/console-context';
import { replaceWith } from '../../state/history';
import { TEXTS } from '../../texts';
import { BadRows } from './bad-rows';
import { RunActions } from './run-actions';
import { RunChanges } from './run-changes';
import { PreviewExamples } from './preview-examples';
import { RunCounts } from './run-counts';
import { RunFiles } from './run-files';
import { RunProgress } from './run-progress';
import { RunWarnings } from './run-warnings';
import { kindOf } from './run-table';
import { useRun } from './use-run';

/** One run, or preview, from its start to its end. */
export function RunPage({ runId }: { readonly runId: string }) {
  const { door } = useConsole();
  const tenantId = useTenant();
  const { run, failure, samples, reload } = useRun(door.client, runId);
  const owner = run && tenantOf(run.JobId);
  const isOther = owner !== undefined && owner !== tenantId.toLowerCase();
  useEffect(() => {
    if (isOther) replaceWith(toLink('runs', runId, { tenant: owner })); // what is done here is done for the run's tenant
  }, [isOther]);
  if (!run || isOther) return failure ? <Problem failure={failure} onRetry={reload} /> : <Loading />;
  const isPreview = run.Kind === 'preview';
  const share = samples.at(-1)?.share;
  return (
    <>
      <p class="run-state" role="status">
        <Badge status={run.Status} /> {isPreview && TEXTS.run.isPreview}
      </p>
      {run.Error !== null && <Notice kind="bad">{run.Error}</Notice>}
      {run.NotificationError !== null && <Notice kind="warning">{TEXTS.run.notNotified(run.NotificationError)}</Notice>}
      {waits(run) && <Notice kind="plain">{TEXTS.run.waits(toLocalTime(run.StartedAt))}</Notice>}
      {run.Status === 'running' && <RunProgress run={run} share={share} pace={paceOf(samples)} />}
      <Problem failure={failure} onRetry={reload} />
      <RunActions run={run} onChanged={reload} />
      <RunFacts run={run} />
      <RunCounts run={run} />
      <RunChanges run={run} />
      {isPreview && <PreviewExamples run={run} />}
      <RunWarnings run={run} />
      <RunFiles run={run} />
      <BadRows run={run} />
    </>
  );
}

/** Whether a run begins only some minutes after the full hour. */
function waits({ Status, StartedAt }: RunWithExamples): boolean {
  return Status === 'running' && Date.parse(StartedAt) > systemClock.nowMs();
}

/** The tenant of a job such as `daily-transfer/<tenant>`. */
function tenantOf(jobId: string): string | undefined {
  return jobId.split('/')[1]?.toLowerCase();
}

function RunFacts({ run }: { readonly run: RunWithExamples }) {
  const linkTo = useLink();
  const { Kind, BucketName, FolderPaths, StartedAt, FinishedAt, ReplayOf, JobId, RunId, TraceId } = run;
  const texts = TEXTS.run;
  const replayed = ReplayOf === null ? [] : [{ name: texts.replayOf, value: <RunLink runId={ReplayOf} /> }];
  const finished =
    FinishedAt === null
      ? []
      : [
          { name: texts.finished, value: <Time at={FinishedAt} /> },
          { name: texts.took, value: toSpan(secondsBetween(StartedAt, FinishedAt)) },
        ];
  return (
    <Facts
      facts={[
        { name: texts.kind, value: kindOf(Kind) },
        ...replayed,
        { name: texts.bucket, value: <code>{BucketName}</code> },
        { name: texts.folders, value: <Folders paths={FolderPaths} /> },
        { name: texts.started, value: <Time at={StartedAt} /> },
        ...finished,
        {
          name: texts.job,
          value: (
            <a href={linkTo('runs', undefined, { job: JobId })}>
              <code>{JobId}</code>
            </a>
          ),
        },
        { name: texts.id, value: <code>{RunId}</code> },
        ...(TraceId === null ? [] : [{ name: texts.trace, value: <code>{TraceId}</code> }]),
      ]}
    />
  );
}

function RunLink({ runId }: { readonly runId: string }) {
  const linkTo = useLink();
  return (
    <a href={linkTo('runs', runId)}>
      <code>{runId}</code>
    </a>
  );
}
