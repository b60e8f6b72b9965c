import {
  MAX_LOGGED_PATH_LENGTH,
  MAX_LOGGED_PATHS,
  MAX_REFUSED_SOURCES,
  REFUSALS_LOGGED_A_MINUTE,
  REFUSALS_LOGGED_FIRST,
} from '../limits/usage';
import { BoundedMap } from '../platform/bounded-map';
import type { Clock } from '../platform/clock';
import type { Logger } from '../platform/logger';
import type { Trace } from '../platform/trace';
import type { ObjectSchema } from '../validation/schema-check';

/** A request that was refused by what its caller can change. */
export interface Refusal extends Trace {
  readonly status: number;
  /** `POST /:tenantId`; undefined: none has the request's path and method. */
  readonly route: string | undefined;
  /** The public name of the key; undefined: none is known. */
  readonly keyId: string | undefined;
  readonly tenantId: string | undefined;
  /** Whether the tenant is one of the key's organization. A caller can name any number of other ones. */
  readonly isOwnTenant: boolean;
  /** The loggable paths of what is wrong in the body; empty: it is something else. */
  readonly paths: readonly string[];
}

/** The refused requests of one key and tenant. */
interface Source {
  readonly minute: number;
  /** In this minute. */
  readonly count: number;
  /** Since the last line. */
  readonly notLogged: number;
}

/** The statuses that are logged. The others are the service's own failures, or tell nothing about what is sent. */
const LOGGED_STATUSES = [400, 401, 403, 404, 413, 415];

/**
 * Logs the refused requests of an instance, so that an operator can say what a client does wrong, and since
 * when. Of a flood it logs the first lines of each key and tenant in a minute, and then the tenth, hundredth and so on,
 * each with the number of those that were not logged.
 */
export class RefusalLog {
  private readonly sources = new BoundedMap<string, Source>(MAX_REFUSED_SOURCES);
  private minute = 0;
  private linesOfMinute = 0;

  constructor(
    private readonly functionName: string,
    private readonly logger: Logger,
    private readonly clock: Clock,
  ) {}

  /** Logs a refused request, or counts it. Requests with other statuses change nothing. */
  add({ isOwnTenant, paths, ...refusal }: Refusal): void {
    if (!LOGGED_STATUSES.includes(refusal.status)) return;
    const minute = Math.floor(this.clock.nowMs() / 60_000);
    if (minute !== this.minute) this.linesOfMinute = 0;
    this.minute = minute;
    const name = `${refusal.keyId ?? ''} ${isOwnTenant ? (refusal.tenantId ?? '') : ''}`;
    const known = this.sources.get(name);
    const count = known?.minute === minute ? known.count + 1 : 1;
    const notLogged = known?.notLogged ?? 0;
    if (!isLogged(count) || this.linesOfMinute >= REFUSALS_LOGGED_A_MINUTE) {
      this.sources.set(name, { minute, count, notLogged: notLogged + 1 });
      return;
    }
    this.linesOfMinute += 1;
    this.sources.set(name, { minute, count, notLogged: 0 });
    this.logger.log('INFO', 'A request was refused.', {
      function: this.functionName,
      ...refusal,
      ...(paths.length > 0 && { paths: paths.slice(0, MAX_LOGGED_PATHS).join(' ') }),
      ...(paths.length > MAX_LOGGED_PATHS && { omittedPaths: paths.length - MAX_LOGGED_PATHS }),
      ...(notLogged > 0 && { notLogged }),
    });
  }
}

/** The first ones, and powers of ten. */
function isLogged(count: number): boolean {
  return count <= REFUSALS_LOGGED_FIRST || /^10+$/.test(String(count));
}

/**
 * A path of a validation answer as it may be logged: names of the schema's fields, and indexes. A name that a caller
 * has made up may be anything, an e-mail address too; it becomes `*`. The empty path becomes `body`.
 */
export function toLoggablePath(path: string, schema: ObjectSchema): string {
  const known = fieldsOf(schema);
  const names = path.split(/[.[\]]+/).filter((name) => name !== '');
  const shown = names.map((name) => (/^\d{1,10}$/.test(name) ? `[${name}]` : known.has(name) ? `.${name}` : '.*'));
  return names.length === 0 ? 'body' : shown.join('').replace(/^\./, '').slice(0, MAX_LOGGED_PATH_LENGTH);
}

const fields = new WeakMap<object, ReadonlySet<string>>();

/** The names of the fields of a schema, at any depth. */
function fieldsOf(schema: ObjectSchema): ReadonlySet<string> {
  const known = fields.get(schema) ?? new Set(namesIn(schema));
  fields.set(schema, known);
  return known;
}

function namesIn(schema: object): string[] {
  const { properties = {}, items } = schema as { properties?: Readonly<Record<string, object>>; items?: object };
  const below = [...Object.values(properties), ...(items ? [items] : [])];
  return [...Object.keys(properties), ...below.flatMap(namesIn)];
}
