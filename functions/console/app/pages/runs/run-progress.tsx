import type { Run } from '../../../../../client/src/index';
import type { Pace } from '../../format/pace';
import { toCount, toSpan } from '../../format/numbers';
import { Numbers } from '../../parts/facts';
import { TEXTS } from '../../texts';

interface Props {
  readonly run: Run;
  /** Undefined: it is not known how much is done. */
  readonly share: number | undefined;
  readonly pace: Pace;
}

/** How far a run is, how fast, and how long it will take. */
export function RunProgress({ run, share, pace }: Props) {
  const { Files, Rows } = run;
  const { rowsPerSecond, secondsLeft } = pace;
  const texts = TEXTS.progress;
  return (
    <section class="card" aria-label={texts.title}>
      <progress aria-label={texts.title} max={1} {...(share !== undefined && { value: share })} />
      <Numbers
        facts={[
          { name: texts.done, value: share === undefined ? texts.unknown : `${Math.floor(share * 100)} %` },
          {
            name: texts.files,
            value: Files ? texts.ofFiles(toCount(Files.Finished), toCount(Files.Found - Files.Skipped)) : texts.unknown,
          },
          { name: texts.rows, value: Rows ? toCount(Rows.Read) : texts.unknown },
          {
            name: texts.rowsPerSecond,
            value: rowsPerSecond === undefined ? texts.unknown : toCount(Math.round(rowsPerSecond)),
          },
          { name: texts.left, value: secondsLeft === undefined ? texts.unknown : toSpan(secondsLeft) },
        ]}
      />
    </section>
  );
}
