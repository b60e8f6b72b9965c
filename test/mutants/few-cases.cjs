/** Property tests while mutants are tried: few cases, the same ones for every mutant, and no search for a smaller counterexample. */
const RUNS = 40;
/** For properties that ask for more cases than usual. */
const MOST_RUNS = 100;

jest.mock('fast-check', () => {
  const fc = jest.requireActual('fast-check');
  fc.configureGlobal({ seed: 20260301, endOnFailure: true });
  const assert = (property, parameters) =>
    fc.assert(property, { ...parameters, numRuns: Math.min(parameters?.numRuns ?? RUNS, MOST_RUNS) });
  return { ...fc, assert };
});
