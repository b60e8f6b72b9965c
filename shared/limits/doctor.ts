/** The bounds of `npm run doctor`. */

/** How long an answer is waited for, in milliseconds: what lists thousands of jobs takes seconds. */
export const ANSWER_TIMEOUT_MS = 20_000;

/** How often an answer is asked for that says "later" (429, 5xx), and the wait between, in milliseconds. */
export const MAX_LOOKS = 3;
export const LOOK_WAIT_MS = 1_000;

/** Pages of one list. The longest one has the jobs of a region: 5,000 in pages of 500. */
export const MAX_LIST_PAGES = 50;

/** What is looked at, at once. Google's administrative APIs allow some hundred requests a minute. */
export const LOOKS_AT_ONCE = 4;

/** Cloud Scheduler's jobs that a region can have at most, where its quota is not reported yet. */
export const MAX_JOBS_OF_REGION = 5_000;

/** The share of the jobs of all regions that may be used: more regions, or a higher quota, take some days to get. */
export const USED_JOBS_SHARE = 0.8;

/**
 * How far two clocks may differ, in milliseconds. The header `Date` has whole seconds and comes some time after it was
 * written; keys, sessions and `restore --restored-at` count in times that are told in seconds.
 */
export const CLOCK_TOLERANCE_MS = 10_000;

/** How far back metrics are looked for, in milliseconds: Pub/Sub's are sampled each minute and shown after four. */
export const METRIC_WINDOW_MS = 15 * 60_000;

/** The same for quotas, which are sampled about once a day. */
export const QUOTA_WINDOW_MS = 2 * 24 * 60 * 60_000;
