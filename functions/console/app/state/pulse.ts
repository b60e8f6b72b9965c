/**
 * Looks again and again at what changes, without an open connection: soon after a change, later while nothing
 * happens or where a look takes long, much later after a failure, and not at all while nobody sees the page.
 */
export const FIRST_DELAY_MS = 1_000;
export const LONGEST_DELAY_MS = 10_000;
export const LONGEST_DELAY_AFTER_FAILURE_MS = 60_000;

const GROWTH = 1.5;
const GROWTH_AFTER_FAILURE = 2;
/** A look that takes long reads much: at most an eleventh of the time goes to looking. */
const WAIT_FOR_LOOK = 10;

export type LookResult = 'changed' | 'same' | 'ended';

/** What a pulse needs of the browser. Tests give their own. */
export interface PulsePlatform {
  /** Calls back after so many milliseconds, unless the function that it returns is called before. */
  after(ms: number, callback: () => void): () => void;
  isHidden(): boolean;
  /** Milliseconds since any moment. */
  nowMs(): number;
  /** Calls back when the page is hidden or shown, until the function that it returns is called. */
  onVisibilityChange(callback: () => void): () => void;
}

/** How long to wait after a look, by the wait before it. */
export function nextDelayMs(beforeMs: number, result: LookResult | 'failed'): number {
  if (result === 'failed') return Math.min(beforeMs * GROWTH_AFTER_FAILURE, LONGEST_DELAY_AFTER_FAILURE_MS);
  return result === 'changed' ? FIRST_DELAY_MS : Math.min(beforeMs * GROWTH, LONGEST_DELAY_MS);
}

/**
 * Looks at once. Ends when a look says so.
 * @param look may reject: it is tried again
 * @returns ends it
 */
export function startPulse(look: (signal: AbortSignal) => Promise<LookResult>, platform: PulsePlatform): () => void {
  const ending = new AbortController();
  let delayMs = FIRST_DELAY_MS;
  let lookMs = 0;
  let isLooking = false;
  let cancelWait = () => {};

  const end = () => {
    ending.abort();
    cancelWait();
    stopWatching();
  };
  const wait = () => {
    cancelWait();
    const waitMs = Math.max(delayMs, Math.min(WAIT_FOR_LOOK * lookMs, LONGEST_DELAY_AFTER_FAILURE_MS));
    if (!platform.isHidden()) cancelWait = platform.after(waitMs, () => void lookOnce());
  };
  const lookOnce = async () => {
    if (isLooking) return;
    isLooking = true;
    const beganMs = platform.nowMs();
    const result = await look(ending.signal).catch(() => 'failed' as const);
    lookMs = platform.nowMs() - beganMs;
    isLooking = false;
    if (ending.signal.aborted) return;
    if (result === 'ended') {
      end();
      return;
    }
    delayMs = nextDelayMs(delayMs, result);
    wait();
  };
  const stopWatching = platform.onVisibilityChange(() => {
    cancelWait();
    if (!platform.isHidden()) void lookOnce();
  });
  void lookOnce();
  return end;
}
