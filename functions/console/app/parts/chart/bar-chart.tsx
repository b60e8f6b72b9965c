import { useId, useRef } from 'preact/hooks';
import { toCount, toShortCount } from '../../format/numbers';
import { TEXTS } from '../../texts';
import type { ChartStep } from './scale';
import { barHeight, gridlinesTo, labelDistance } from './scale';
import { useWidth } from './use-width';

interface Props {
  readonly title: string;
  /** The last one is not over. */
  readonly steps: readonly ChartStep[];
  /** A count for each step. */
  readonly counts: readonly number[];
  readonly total: number;
  /** Distances of labels that look well. */
  readonly distances: readonly number[];
  readonly isBad?: boolean;
  /** The step whose count is said; undefined: the total is. */
  readonly chosen: number | undefined;
  readonly onChoose: (step: number | undefined) => void;
}

const HEIGHT = 150;
const TOP = 8;
const BOTTOM = 22;
const LEFT = 44;
const RIGHT = 4;
const LABEL_WIDTH = 52;
const PLOT_HEIGHT = HEIGHT - TOP - BOTTOM;

/**
 * Counts over time as bars. The exact count of a step is said above them, for whoever points at it, touches it, or goes
 * there by the arrow keys; screen readers say it, too.
 */
export function BarChart(props: Props) {
  const { title, steps, counts, total, chosen, onChoose, isBad } = props;
  const id = useId();
  const element = useRef<HTMLDivElement>(null);
  const width = useWidth(element);
  const step = chosen === undefined ? undefined : steps[chosen];
  const said = step
    ? { when: step.name, count: toCount(counts[chosen ?? 0] ?? 0) }
    : { when: TEXTS.chart.total, count: toCount(total) };
  const point = (event: PointerEvent) => {
    const left = element.current?.getBoundingClientRect().left ?? 0;
    const share = (event.clientX - left - LEFT) / (width - LEFT - RIGHT);
    onChoose(Math.min(steps.length - 1, Math.max(0, Math.floor(share * steps.length))));
  };
  const move = (event: KeyboardEvent) => {
    const to = stepByKey(event.key, chosen, steps.length);
    if (to === undefined) return;
    event.preventDefault();
    onChoose(to === 'none' ? undefined : to);
  };
  return (
    <div class={isBad ? 'chart bad-counts' : 'chart'}>
      <h3 id={id}>{title}</h3>
      <p class="said">
        <strong>{said.count}</strong> <span class="soft">{said.when}</span>
      </p>
      <div
        ref={element}
        class="plot"
        role="slider"
        tabIndex={0}
        aria-labelledby={id}
        aria-valuemin={0}
        aria-valuemax={Math.max(steps.length - 1, 0)}
        aria-valuenow={chosen ?? Math.max(steps.length - 1, 0)}
        aria-valuetext={`${said.when}: ${said.count}`}
        onKeyDown={move}
        onPointerDown={point}
        onPointerMove={point}
        onPointerLeave={(event) => {
          if (event.pointerType === 'mouse') onChoose(undefined);
        }}
        onBlur={() => onChoose(undefined)}
      >
        {width > 0 && <Plot {...props} width={width} />}
      </div>
    </div>
  );
}

function Plot({ steps, counts, distances, chosen, width }: Props & { readonly width: number }) {
  const plotWidth = width - LEFT - RIGHT;
  const stepWidth = plotWidth / steps.length;
  const lines = gridlinesTo(Math.max(...counts, 0));
  const most = lines.at(-1) ?? 1;
  const yOf = (count: number) => TOP + PLOT_HEIGHT - (count / most) * PLOT_HEIGHT;
  const distance = labelDistance(steps.length, { width: plotWidth, labelWidth: LABEL_WIDTH, choices: distances });
  const gap = stepWidth >= 4 ? 1 : 0;
  return (
    <svg width={width} height={HEIGHT} aria-hidden="true">
      {lines.map((line) => (
        <g key={line}>
          <line class={line === 0 ? 'axis' : 'grid'} x1={LEFT} x2={width - RIGHT} y1={yOf(line)} y2={yOf(line)} />
          <text x={LEFT - 6} y={yOf(line) + 4} text-anchor="end">
            {toShortCount(line)}
          </text>
        </g>
      ))}
      {chosen !== undefined && (
        <rect class="chosen" x={LEFT + chosen * stepWidth} y={TOP} width={stepWidth} height={PLOT_HEIGHT} />
      )}
      {counts.map((count, index) => {
        const height = barHeight(count, most, PLOT_HEIGHT);
        return (
          <rect
            key={String(index)}
            class={index === counts.length - 1 ? 'bar open' : 'bar'}
            x={LEFT + index * stepWidth + gap / 2}
            y={TOP + PLOT_HEIGHT - height}
            width={Math.max(stepWidth - gap, 0.5)}
            height={height}
          />
        );
      })}
      {steps.map(({ label, place }, index) => {
        const x = LEFT + (index + 0.5) * stepWidth;
        const isWhole = x >= LEFT + LABEL_WIDTH / 4 && x <= width - LABEL_WIDTH / 2;
        return place % distance === 0 && isWhole ? (
          <text key={String(index)} x={x} y={HEIGHT - 6} text-anchor="middle">
            {label}
          </text>
        ) : null;
      })}
    </svg>
  );
}

/** Where a key leads from a step; undefined: the key is none of the chart's. */
function stepByKey(key: string, from: number | undefined, steps: number): number | 'none' | undefined {
  const last = steps - 1;
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return Math.max(0, (from ?? steps) - 1);
    case 'ArrowRight':
    case 'ArrowUp':
      return Math.min(last, (from ?? -1) + 1);
    case 'Home':
      return 0;
    case 'End':
      return last;
    case 'Escape':
      return 'none';
    default:
      return undefined;
  }
}
