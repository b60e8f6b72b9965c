import type { Platform } from '../../../client/src';
import { systemPlatform } from '../../../client/src/http/platform';

/** The real network, with a clock that runs so many times as fast: retries need no waiting. */
export function hurriedPlatform(speed: number): Platform {
  const system = systemPlatform();
  return {
    ...system,
    nowMs: () => system.nowMs() * speed,
    after: (ms, callback) => system.after(ms / speed, callback),
  };
}
