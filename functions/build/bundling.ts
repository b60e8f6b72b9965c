import type { BuildOptions } from 'esbuild';

/**
 * How the functions' own code becomes one file, for a deployment and on the local stack. Packages stay outside, for
 * three reasons:
 *
 * - The framework keeps its registry of functions in a module, so only one copy of that module may exist.
 * - The SDKs read files of their own packages.
 * - Packages that the lock file installs can be audited.
 */
export const BUNDLING = {
  bundle: true,
  platform: 'node',
  format: 'cjs',
  packages: 'external',
  // A lazy import becomes a lazy require: it loads the CommonJS builds of the packages, as in the tests.
  supported: { 'dynamic-import': false },
  logLevel: 'silent',
} as const satisfies BuildOptions;
