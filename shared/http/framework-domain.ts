/**
 * Leaves the `domain` in which functions-framework runs each call, so as to answer for errors that a function throws
 * outside its promise. Ours answer for theirs, and a domain follows every promise and every message of gRPC by hooks,
 * which takes a quarter of the CPU of 500 orders. What the call begins from here on is outside it. A repeat does
 * nothing.
 */
export function leaveFrameworkDomain(): void {
  (process as { readonly domain?: { exit(): void } | null }).domain?.exit();
}
