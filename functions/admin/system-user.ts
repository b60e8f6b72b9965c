import { userInfo } from 'node:os';
import type { Actor } from '../../shared/audit/audit-log';
import type { Door } from '../../shared/audit/entry';

/** Who uses the local stack: the user of the operating system. */
export function systemUser(door: Door): Actor {
  return { door, name: () => Promise.resolve(userName()) };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`; // the system knows no name, as in some containers
  }
}
