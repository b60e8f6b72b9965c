/** What every suite takes and gives. */

export interface SuiteOptions {
  /** Pairs of measurements of each kind. */
  readonly rounds: number;
  /** Small sizes, for trying out; its figures mean little. */
  readonly quick: boolean;
  /** Says what is being done. */
  readonly progress: (message: string) => void;
}

export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number | null)[])[];
}

/** A figure that must stay within a limit. */
export interface Bar {
  readonly name: string;
  readonly value: number;
  readonly limit: number;
  readonly must: 'stay at or below' | 'reach';
}

export interface Chart {
  readonly title: string;
  readonly unit: string;
  readonly values: readonly { readonly label: string; readonly value: number }[];
}

export interface SuiteResult {
  readonly suite: string;
  readonly tables: readonly Table[];
  readonly bars: readonly Bar[];
  readonly chart?: Chart;
  /** How the figures were taken and what they do not say. */
  readonly notes: readonly string[];
  /** Everything measured, for the JSON result. */
  readonly samples: unknown;
}

export type Suite = (options: SuiteOptions) => Promise<SuiteResult>;

export function isMet({ value, limit, must }: Bar): boolean {
  return must === 'reach' ? value >= limit : value <= limit;
}
