import { useState } from 'preact/hooks';
import type { UsageCounts, UsageStep } from '../../../../../client/src/index';
import { toCount } from '../../format/numbers';
import { toUtcTime } from '../../format/times';
import { BarChart } from '../../parts/chart/bar-chart';
import { Table } from '../../parts/table';
import { TEXTS } from '../../texts';
import { DISTANCES, toChartSteps } from './range';

interface Props {
  readonly usage: {
    readonly step: 'hour' | 'day';
    readonly totals: UsageCounts;
    readonly steps: readonly UsageStep[];
  };
}

const CHARTS = ['requests', 'records', 'deletions', 'errors'] as const;
const COLUMNS = [...CHARTS, 'limited', 'rejected'] as const;

/** What was counted, as charts of one time axis, and the same as a table. */
export function UsageCharts({ usage: { step, totals, steps } }: Props) {
  const [chosen, setChosen] = useState<number>();
  const shown = toChartSteps(steps, step);
  const rows = steps.map((counts, index) => ({ counts, name: shown[index]?.name ?? '' }));
  const texts = TEXTS.usage;
  return (
    <>
      <div class="charts">
        {CHARTS.map((name) => (
          <BarChart
            key={name}
            title={texts.by[step](texts.counts[name])}
            steps={shown}
            counts={steps.map((one) => one[name])}
            total={totals[name]}
            distances={DISTANCES[step]}
            isBad={name === 'errors'}
            chosen={chosen}
            onChoose={setChosen}
          />
        ))}
      </div>
      <p class="hint">{texts.late[step]}</p>
      <details>
        <summary>{texts.asTable}</summary>
        <Table
          label={texts.table}
          rows={rows}
          keyOf={({ counts }) => counts.time}
          columns={[
            {
              title: texts.time[step],
              cell: ({ counts, name }) => (
                <time dateTime={counts.time} title={toUtcTime(counts.time)}>
                  {name}
                </time>
              ),
            },
            ...COLUMNS.map((name) => ({
              title: texts.counts[name],
              isNumber: true,
              cell: ({ counts }: (typeof rows)[number]) => toCount(counts[name]),
            })),
          ]}
        />
      </details>
    </>
  );
}
