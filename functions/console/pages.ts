/** The first segments of the pages' paths below `/console`; the overview has none. */
export const PAGES: readonly string[] = ['keys', 'log', 'preview', 'records', 'runs', 'send', 'tenants', 'transfers'];
