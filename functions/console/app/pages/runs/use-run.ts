import { useEffect, useState } from 'preact/hooks';
import type { IngestionClient, RunFile, RunWithExamples } from '../../../../../client/src/index';
import { systemClock } from '../../../../../shared/platform/clock';
import type { Failure } from '../../api/failure';
import { toFailure } from '../../api/failure';
import type { Sample } from '../../format/pace';
import { shareOf, withSample } from '../../format/pace';
import { browserPulse } from '../../state/browser-pulse';
import type { LookResult } from '../../state/pulse';
import { startPulse } from '../../state/pulse';

/** Files that are looked at while a run runs: one page. Of a run with more, the number of files tells how far it is. */
const MAX_WATCHED_FILES = 100;

export interface WatchedRun {
  readonly run: RunWithExamples | undefined;
  /** Why the last look has failed. What was seen before stays. */
  readonly failure: Failure | undefined;
  readonly samples: readonly Sample[];
  /** Looks now, such as after the run was cancelled. */
  readonly reload: () => void;
}

/** A run as it is now; while it runs, it is looked at again and again. */
export function useRun(client: IngestionClient, runId: string): WatchedRun {
  const [round, setRound] = useState(0);
  const [run, setRun] = useState<RunWithExamples>();
  const [failure, setFailure] = useState<Failure>();
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  useEffect(() => {
    let seen = '';
    const look = async (signal: AbortSignal): Promise<LookResult> => {
      try {
        const { now, files } = await readRun(client, runId, signal);
        if (signal.aborted) return 'ended';
        setRun(now);
        setFailure(undefined);
        const sample = { atMs: systemClock.nowMs(), rows: now.Rows?.Read ?? 0, share: shareOf(now, files) };
        setSamples((before) => withSample(before, sample));
        const before = seen;
        seen = JSON.stringify([now.Status, now.Rows, now.Files]);
        if (now.Status !== 'running') return 'ended';
        return before === seen ? 'same' : 'changed';
      } catch (error) {
        if (signal.aborted) return 'ended';
        const failed = toFailure(error);
        setFailure(failed);
        // What the service refuses is refused again.
        if (failed.status !== undefined && failed.status < 500 && failed.status !== 429) return 'ended';
        throw error;
      }
    };
    return startPulse(look, browserPulse);
  }, [client, runId, round]);
  return { run, failure, samples, reload: () => setRound((before) => before + 1) };
}

async function readRun(
  client: IngestionClient,
  runId: string,
  signal: AbortSignal,
): Promise<{ now: RunWithExamples; files: readonly RunFile[] | undefined }> {
  const of = client.run(runId);
  const now = await of.get({ signal });
  const isWatched = now.Status === 'running' && (now.Files?.Found ?? 0) <= MAX_WATCHED_FILES;
  if (!isWatched) return { now, files: undefined };
  const files: RunFile[] = [];
  for await (const file of of.files({ signal })) files.push(file);
  return { now, files };
}
