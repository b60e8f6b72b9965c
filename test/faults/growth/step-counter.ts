import { Session } from 'node:inspector';

interface CoverageRange {
  readonly count: number;
}

interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly CoverageRange[] }[];
}

/** The code whose steps are counted: what is deployed, without its packages and without the tests' own. */
const COUNTED = /\/(shared|functions)\/[^?]*\.ts$/;

/**
 * Counts how often each block of the deployed code is run, by V8's own counters: the same number for the same input on
 * every machine. It does not see the work inside native calls (a copied array counts as one step), nor every call of a
 * function without a branch once that is optimized, which is why time is measured beside it.
 *
 * Only code that is compiled after the start has counters for its blocks. So this module is imported before the code
 * under test.
 */
class StepCounter {
  private readonly session = new Session();

  constructor() {
    this.session.connect();
    this.post('Profiler.enable');
    this.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** The steps of some work, and what it comes to. Nothing else may run meanwhile. */
  async count<T>(work: () => Promise<T>): Promise<[steps: number, outcome: T]> {
    this.take();
    const outcome = await work();
    return [this.take(), outcome];
  }

  stop(): void {
    this.post('Profiler.stopPreciseCoverage');
    this.session.disconnect();
  }

  /** Steps since the last call. */
  private take(): number {
    const { result } = this.post('Profiler.takePreciseCoverage') as { result: readonly ScriptCoverage[] };
    let steps = 0;
    for (const { url, functions } of result) {
      if (!COUNTED.test(url)) continue;
      for (const { ranges } of functions) for (const { count } of ranges) steps += count;
    }
    return steps;
  }

  private post(method: string, parameters: object = {}): unknown {
    const outcome: { error?: Error | null; answer?: unknown } = {};
    // Within the process the answer comes before the call returns.
    this.session.post(method, parameters, (error, answer) => Object.assign(outcome, { error, answer }));
    if (outcome.error) throw outcome.error;
    return outcome.answer;
  }
}

/** Counts in everything that is imported from now on. */
export const stepCounter = new StepCounter();

export type { StepCounter };
