import { userInfo } from 'node:os';
import type { Actor } from '../../shared/audit/audit-log';

/** Who uses the local stack: the user of the operating system. */
export const systemUser: Actor = { door: 'command line', name: () => Promise.resolve(userName()) };

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`; // the system knows no name, as in some containers
  }
}
