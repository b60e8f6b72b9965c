/** Where the lines and labels of a chart are. Pure. */

/** A step of time, as a chart names it. */
export interface ChartStep {
  /** Whole, for whoever asks for its count. */
  readonly name: string;
  /** Short, below the axis. */
  readonly label: string;
  /** Where it is in its day, month or the like: steps whose place is a multiple of the distance have a label. */
  readonly place: number;
}

/** Lines above the first one, at most, where numbers allow it. */
const MOST_LINES = 4;
const ROUND = [1, 2, 5, 10];

/** The whole numbers of the gridlines: from 0 to at least `most`, in steps of 1, 2 or 5 times a power of ten. */
export function gridlinesTo(most: number): readonly number[] {
  const rough = Math.max(most, 1) / MOST_LINES;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, (ROUND.find((factor) => factor * power >= rough) ?? 1) * power);
  const lines = Math.max(1, Math.ceil(most / step));
  return Array.from({ length: lines + 1 }, (_, index) => index * step);
}

/** Every so many steps have a label: the smallest of the choices with which none touches the next, else the largest. */
export function labelDistance(
  steps: number,
  {
    width,
    labelWidth,
    choices,
  }: { readonly width: number; readonly labelWidth: number; readonly choices: readonly number[] },
): number {
  const fits = (distance: number) => (distance * width) / steps >= labelWidth;
  return choices.find(fits) ?? choices.at(-1) ?? steps;
}

/** The height of a bar, as a whole pixel. What is not zero can be seen. */
export function barHeight(count: number, most: number, height: number): number {
  return count === 0 || most === 0 ? 0 : Math.max(1, Math.round((count / most) * height));
}
