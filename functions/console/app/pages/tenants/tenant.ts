/** A tenant as the pages see it, and what can be done with it below `/console/management/tenants`. */
import type { CustomerIdentifier, ProductIdentifier } from '../../../../../shared/domain/tenant';
import type { RecordKind } from '../../../../../shared/domain/identity';
import type { Door, TenantSummary } from '../../api/door';

/** What can be changed; of a tenant's own people, the first five. */
export interface Settings {
  readonly customerIdentifier: CustomerIdentifier;
  readonly productIdentifier: ProductIdentifier;
  readonly orderCustomer: CustomerIdentifier;
  readonly defaultLanguage: string | null;
  readonly requiredFields: readonly string[];
  readonly displayName: string | null;
  readonly notifyTopic: string | null;
}

export interface Rekeying {
  readonly state: 'complete' | 'due' | 'unfinished' | 'waiting';
  readonly repeatAfter: string | null;
  readonly pass:
    | (Readonly<Record<RecordKind, { readonly lookedAt: number; readonly moved: number; readonly merged: number }>> & {
        readonly consentsWithdrawn: number;
      })
    | null;
}

export interface TenantAnswer extends Settings {
  readonly tenantId: string;
  readonly organizationId: string;
  readonly suspendedSince: string | null;
  readonly erasure: { readonly since: string; readonly goesOnAt: string } | null;
  readonly rekeying: Rekeying;
}

export type RecordCounts = Readonly<Record<RecordKind, number>>;

export interface ErasureReport {
  readonly state: 'stored' | 'beingErased' | 'erased' | 'absent';
  /** Numbers of documents by their collection. */
  readonly documents: Readonly<Record<string, number>>;
  readonly reportObjects: number;
  readonly jobs: readonly string[];
  readonly buckets: readonly string[];
  readonly bucketsKept: readonly string[];
}

/** A line of a list of tenants: its settings by their names, or why it cannot be read. */
export type TenantLine = { readonly line: number } & ({ readonly values: unknown } | { readonly problem: string });

export interface LineAnswer {
  readonly line: number;
  readonly outcome: 'created' | 'present' | 'refused';
  readonly tenantId: string | null;
  readonly reason: string | null;
}

/** Lines that one request creates: the service takes 50. */
const LINES_AT_ONCE = 25;

export class Tenants {
  constructor(private readonly door: Door) {}

  get(tenantId: string, signal: AbortSignal): Promise<TenantAnswer> {
    return this.door.manage({ method: 'GET', path: pathOf(tenantId), signal });
  }

  change(tenantId: string, changed: Partial<Settings>): Promise<TenantAnswer> {
    return this.door.manage({ method: 'POST', path: pathOf(tenantId), body: JSON.stringify(changed) });
  }

  countRecords(tenantId: string, signal: AbortSignal): Promise<RecordCounts> {
    return this.door.manage({ method: 'GET', path: `${pathOf(tenantId)}/records`, signal });
  }

  rekey(tenantId: string, signal: AbortSignal): Promise<Rekeying> {
    return this.door.manage({ method: 'POST', path: `${pathOf(tenantId)}/rekey`, signal });
  }

  /** For operators, as all that follow. */
  async find(search: string, signal: AbortSignal): Promise<readonly TenantSummary[]> {
    const query = { search };
    const found = await this.door.manage<{ tenants: TenantSummary[] }>({ method: 'GET', path: '/tenants', query, signal }); // prettier-ignore
    return found.tenants;
  }

  /** Yields the answers as they come. A line that cannot be read is refused without asking. */
  async *create(lines: AsyncIterable<TenantLine>): AsyncGenerator<readonly LineAnswer[]> {
    let waiting: TenantLine[] = [];
    for await (const line of lines) {
      if ('problem' in line) {
        yield [{ line: line.line, outcome: 'refused', tenantId: null, reason: line.problem }];
      } else if (waiting.push(line) === LINES_AT_ONCE) {
        yield await this.#createLines(waiting);
        waiting = [];
      }
    }
    if (waiting.length > 0) yield await this.#createLines(waiting);
  }

  suspend(tenantId: string): Promise<void> {
    return this.door.manage({ method: 'POST', path: `${pathOf(tenantId)}/suspend` });
  }

  resume(tenantId: string): Promise<{ readonly runsResumed: number }> {
    return this.door.manage({ method: 'POST', path: `${pathOf(tenantId)}/resume` });
  }

  describeErasure(tenantId: string, signal: AbortSignal): Promise<ErasureReport> {
    return this.door.manage({ method: 'GET', path: `${pathOf(tenantId)}/erasure`, signal });
  }

  erase(tenantId: string, signal: AbortSignal): Promise<ErasureReport> {
    return this.door.manage({ method: 'POST', path: `${pathOf(tenantId)}/erasure`, signal });
  }

  async #createLines(lines: readonly TenantLine[]): Promise<readonly LineAnswer[]> {
    const body = JSON.stringify({ lines });
    return (await this.door.manage<{ answers: LineAnswer[] }>({ method: 'POST', path: '/tenants', body })).answers;
  }
}

function pathOf(tenantId: string): string {
  return `/tenants/${encodeURIComponent(tenantId)}`;
}
