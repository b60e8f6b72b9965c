import type { Run } from '../../../../../client/src/index';
import { toCount } from '../../format/numbers';
import { ROW_COUNTS } from '../../format/row-counts';
import { Numbers } from '../../parts/facts';
import { TEXTS } from '../../texts';

/** The rows and files of a run. */
export function RunCounts({ run: { Rows, Files } }: { readonly run: Run }) {
  const texts = TEXTS.counts;
  if (!Rows || !Files) return <p class="empty">{texts.uncounted}</p>;
  return (
    <section aria-labelledby="counts">
      <h2 id="counts">{texts.title}</h2>
      <Numbers
        facts={[
          ...ROW_COUNTS.map((name) => ({
            name: TEXTS.rows[name],
            value: toCount(Rows[name]),
            isBad: name === 'Invalid' && Rows[name] > 0,
          })),
          { name: texts.found, value: toCount(Files.Found) },
          { name: texts.finished, value: toCount(Files.Finished) },
          { name: texts.skipped, value: toCount(Files.Skipped) },
          { name: texts.failed, value: toCount(Files.Failed), isBad: Files.Failed > 0 },
        ]}
      />
    </section>
  );
}
