import domain from 'node:domain';

/** Stands for a domain, and hooks into nothing. */
const NO_DOMAIN = { on: () => NO_DOMAIN, run: (work: () => void): void => work() };

/**
 * Keeps functions-framework from running each call in a `domain`. The framework uses domains to answer for errors that
 * a function throws outside its promise; ours handle their own errors. From the first domain on, a process hooks into
 * every promise, timer and call for good, which takes a tenth of the CPU of a small request; within the domain it takes
 * a quarter of that of 500 orders. A repeat does nothing.
 */
export function preventFrameworkDomains(): void {
  domain.create = () => NO_DOMAIN as unknown as domain.Domain;
}
