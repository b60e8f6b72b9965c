import { performance } from 'node:perf_hooks';
import { FairTimeoutPassed, FairTimer, withFairTimeout } from '../../shared/platform/async/fair-timeout';

/** Keeps the processor for so long. */
function keepBusy(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

const never = new Promise<never>(() => undefined);

it('gives what comes in time, and how it fails', async () => {
  await expect(withFairTimeout(Promise.resolve(7), 100)).resolves.toBe(7);
  await expect(withFairTimeout(Promise.reject(new Error('refused')), 100)).rejects.toThrow('refused');
});

it('is over when nothing comes, not before', async () => {
  const startMs = performance.now();
  await expect(withFairTimeout(never, 200)).rejects.toThrow(FairTimeoutPassed);
  expect(performance.now() - startMs).toBeGreaterThanOrEqual(190);
});

it('does not count a tick that came late because the process was busy', async () => {
  const counted: number[] = [];
  const timer = new FairTimer((waitedMs) => counted.push(waitedMs), 20);
  keepBusy(500);
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(counted).toEqual([]);
  while (counted.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  timer.end();
  expect(counted).toEqual([20, 40]);
});

it('begins anew when it is renewed, and ends', async () => {
  const counted: number[] = [];
  const timer = new FairTimer((waitedMs) => {
    counted.push(waitedMs);
    if (counted.length < 3) timer.renew();
    else timer.end();
  }, 20);
  while (counted.length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(counted).toEqual([20, 20, 20]);
});
