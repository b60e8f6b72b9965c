/** Sends hostile requests, and finds what is wrong with their answers and with what they leave behind. */
import { Agent } from 'node:http';
import { recordsPath } from '../../../shared/documents/paths';
import type { RecordKind } from '../../../shared/domain/identity';
import { deletesRecords } from '../../http/api';
import type { Received } from '../../support/http-exchange';
import type { Caller, FunctionName, TestService } from '../../support/test-service';
import type { DrawnRequest } from './drawn-request';
import { encode } from './drawn-request';

const KEY_LIMIT = 1e9;

export class Probe {
  /** How often each status was answered. */
  readonly statuses = new Map<number, number>();
  private readonly agent = new Agent({ keepAlive: true });
  private caller: Caller | undefined;

  constructor(private readonly to: TestService) {}

  /** @throws Error that says what is wrong. */
  async send(sent: DrawnRequest): Promise<void> {
    const { to } = this;
    // What was refused has left nothing behind.
    const caller = (this.caller ??= await to.createCaller({ requestsPerMinute: KEY_LIMIT }));
    to.store.calls.length = 0;
    const effects = this.countEffects();
    const { status, headers, text, json } = await this.exchange(caller, sent);
    if (sent.method !== 'HEAD' && !isEnvelope(json)) throw new Error(`${status}: ${text.slice(0, 200)}`);
    if (headers['content-type'] !== 'application/json') throw new Error(`${status} ${headers['content-type'] ?? ''}`);
    if (status !== 200 && (status < 400 || status > 499)) throw new Error(`The answer was ${status}.`);
    if (status === 200) {
      this.caller = undefined;
      const { route } = sent;
      if (route.method === 'POST' && isRecordKind(route.to) && !deletesRecords(route) && !sent.path) {
        await expectFaithful(to, caller, route.to, sent.body);
      }
      to.forget(); // what is held after many requests is then what the service holds
    } else {
      const writes = to.store.writes.filter(({ method }) => method !== 'increment');
      const isChanged = writes.length > 0 || effects !== this.countEffects();
      if (isChanged) throw new Error(`A ${status} has changed something: ${JSON.stringify(writes)}`);
    }
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
  }

  close(): void {
    this.agent.destroy();
  }

  private countEffects(): number {
    return this.to.publisher.published.length + this.to.scheduler.jobs.size;
  }

  private exchange(caller: Caller, sent: DrawnRequest): Promise<Received> {
    const { route, path, encoding: how, chunked, extra } = sent;
    const { raw, header } = encode(sent.body, how);
    const drawn = path && `/${caller.tenantId}${path[0].map((part) => `/${part}`).join('')}${path[1]}`;
    const method = sent.method ?? route.method;
    return this.to.request(method, `/${route.to}${drawn ?? route.path(caller.tenantId)}`, {
      key: sent.key ?? caller.key,
      to: route.to,
      headers: { ...extra, 'content-type': sent.contentType, ...(header && { 'content-encoding': header }) },
      agent: this.agent,
      ...(method === 'POST' || method === 'PUT' || method === 'PATCH' ? { raw, chunked } : {}),
    });
  }
}

function isEnvelope(json: unknown): boolean {
  return typeof json === 'object' && json !== null && ['success', 'Success', 'errors'].some((name) => name in json);
}

const IDENTIFIERS = { customers: ['Email', 'CustomerId'], products: ['ProductId'], orders: ['OrderId'] } as const;
const FAITHFUL = ['Email', 'CustomerId', 'Name', 'Surname', 'Phone', 'EmailOptin', 'ProductId', 'ProductName', 'Taxonomy', 'OrderId', 'TotalRevenue']; // prettier-ignore

/** Of the records that were accepted one after the other, the last one's fields are stored as they were sent. */
async function expectFaithful(to: TestService, caller: Caller, kind: RecordKind, bytes: Buffer): Promise<void> {
  const batch = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>[];
  const last = batch.at(-1);
  if (!last) return;
  const sent = Object.entries(last).filter(
    ([name, any]) => FAITHFUL.includes(name) && any !== null && knows(kind, name),
  );
  const stored = await to.store.list(recordsPath(caller.tenantId, kind), { limit: 10 }, to.deadline());
  const isBlank = (any: unknown) => typeof any === 'string' && any.trim() === '';
  const isStored = stored.some(({ data }) =>
    sent.every(([name, any]) => (isIdentifier(name) && isBlank(any) ? !(name in data) : isSame(data[name], any))),
  );
  if (!isStored)
    throw new Error(`Sent ${JSON.stringify(last)}, stored ${JSON.stringify(stored.map(({ data }) => data))}`);
}

function knows(kind: RecordKind, field: string): boolean {
  const own = {
    customers: ['Email', 'CustomerId', 'Name', 'Surname', 'Phone', 'EmailOptin'],
    products: ['ProductId', 'ProductName', 'Taxonomy'],
    orders: ['OrderId', 'Email', 'CustomerId', 'TotalRevenue'],
  };
  return own[kind].includes(field);
}

function isIdentifier(field: string): boolean {
  return Object.values(IDENTIFIERS).some((fields) => (fields as readonly string[]).includes(field));
}

/** A database that keeps UTF-8 has no place for half a character. */
function isSame(stored: unknown, sent: unknown): boolean {
  const kept = (_: string, any: unknown) => (typeof any === 'string' ? any.toWellFormed() : any);
  return JSON.stringify(stored, kept) === JSON.stringify(sent);
}

const isRecordKind = (name: FunctionName): name is RecordKind => name === 'customers' || name === 'products' || name === 'orders'; // prettier-ignore
