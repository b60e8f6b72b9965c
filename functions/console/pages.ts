/** The pages of the console: the first segments of their paths below `/console`, in the order of the navigation. */
export const PAGES = ['overview', 'transfers', 'runs', 'preview', 'records', 'send', 'keys', 'tenants', 'log'] as const;
export type PageName = (typeof PAGES)[number];
