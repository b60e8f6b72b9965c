/** Property tests while mutants are tried: few cases, the same ones for every mutant, and no search for a smaller counterexample. */
const fc = require('fast-check');

fc.configureGlobal({ numRuns: 40, seed: 20260301, endOnFailure: true });
