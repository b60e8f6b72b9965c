/** The signals that ask a program to end. */

/** A signal that comes again within this time is the same one: a terminal and npm both send it. */
const SAME_SIGNAL_MS = 500;

/** Calls `first` for the first signal, which may take its time to end the program, and `again` for each later one. */
export function onSignals(first: () => void, again: () => void): void {
  let firstMs: number | undefined;
  const onSignal = () => {
    if (firstMs === undefined) {
      firstMs = performance.now();
      first();
    } else if (performance.now() - firstMs > SAME_SIGNAL_MS) {
      again();
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
}
