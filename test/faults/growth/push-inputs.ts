/** What Pub/Sub pushes: accepted deletions, and the longest messages. */
import type { RecordKind } from '../../../shared/domain/identity';
import { MAX_DELETION_BATCH } from '../../../shared/domain/limits';
import type { Prepare } from './cost';
import { excusingParses, MeteredService } from './metered-service';
import { noTraffic } from './metered-store';
import { json, order, product, times, variants } from './records';
import type { Input } from './upsert-inputs';

const push = (event: string) =>
  Buffer.from(
    JSON.stringify({
      message: { messageId: '1', publishTime: '2026-03-01T12:00:00Z', data: Buffer.from(event).toString('base64') },
      subscription: 's',
      deliveryAttempt: 1,
    }),
  );

interface Deletions {
  readonly kind: RecordKind;
  readonly size: number;
  readonly stored: (size: number) => readonly object[];
  readonly elements: (size: number) => readonly object[];
  /** Asks for all that is pending of the kind, in place of what each message names. */
  readonly isDrained?: boolean;
}

/** Applies deletions that were accepted. */
function applying(name: string, { kind, size, stored, elements, isDrained = false }: Deletions): Input {
  const prepare: Prepare = async (n) => {
    const service = await MeteredService.open(kind, 'deletion-consumer');
    const caller = await service.createMeteredCaller({ customerIdentifier: 'customerid' });
    await service.upsert(caller, kind, stored(n), kind === 'customers' ? 1_000 : 10);
    const named = await service.storedBytes(caller);
    const sent = elements(n);
    for (let from = 0; from < sent.length; from += MAX_DELETION_BATCH) {
      const body = sent.slice(from, from + MAX_DELETION_BATCH);
      await service.must([200], 'POST', `/${kind}/${caller.tenantId}/deletions`, { key: caller.key, json: body });
    }
    const accepted = service.publisher.published.map(({ event }) => event);
    const events = isDrained ? [{ tenantId: caller.tenantId, drain: kind }] : accepted;
    const { traffic, meter } = service;
    Object.assign(traffic, noTraffic());
    service.store.calls.length = 0;
    const deliver = async () => {
      for (const event of events) {
        const raw = push(JSON.stringify(event));
        await service.must([204], 'POST', '/', { to: 'deletion-consumer', raw });
      }
      const left = await service.pendingDeletions(caller.tenantId);
      if (left.length > 0) throw new Error(`${left.length} deletions were left.`);
    };
    return {
      bytes: named + json(sent).length,
      traffic,
      meter,
      work: () => excusingParses(meter, deliver),
      close: () => service.stop(),
    };
  };
  return { name: `push: deletions of ${name}`, size, prepare };
}

/** A message that is no event. */
function message(name: string, size: number, event: (size: number) => string): Input {
  const prepare: Prepare = async (n) => {
    const service = await MeteredService.open('deletion-consumer');
    const caller = await service.createMeteredCaller();
    return service.prepare(caller, [204, 400, 413], {
      path: '/',
      body: push(event(n)),
      to: 'deletion-consumer',
    });
  };
  return { name: `push: ${name}`, size, prepare };
}

const customers = (n: number) => times(n, (index) => ({ CustomerId: `c${index}`, Email: `c${index}@example.com` }));
const shared = (n: number) => times(n, (index) => ({ CustomerId: `c${index}`, Email: 'shared@example.com' }));

export const PUSH_INPUTS: readonly Input[] = [
  applying('customers', {
    kind: 'customers',
    size: 200,
    stored: customers,
    elements: (n) => times(n, (index) => ({ CustomerId: `c${index}` })),
  }),
  applying('customers, all of a kind at once', {
    kind: 'customers',
    size: 400,
    stored: customers,
    elements: (n) => times(n, (index) => ({ Email: `c${index}@example.com` })),
    isDrained: true,
  }),
  applying('an e-mail that very many share', {
    kind: 'customers',
    size: 500,
    stored: shared,
    elements: () => [{ Email: 'shared@example.com' }],
    isDrained: true,
  }),
  applying('variants of one product', {
    kind: 'products',
    size: 250,
    stored: (n) => [product('x', variants(n))],
    elements: (n) => times(n, (index) => ({ ProductId: 'x', VariantId: `v${index}` })),
  }),
  applying('items of one order, one of them after the other', {
    kind: 'orders',
    size: 100,
    stored: (n) => [order('x', n)],
    elements: (n) => times(n, (index) => ({ OrderId: 'x', ProductId: `p${index}` })),
  }),
  message('a message of many members', 20_000, (n) => `{${times(n, (index) => `"x${index}":1`).join()}}`),
  message('a message of many ids', 20_000, (n) => JSON.stringify({ tenantId: 'x', deletionIds: times(n, () => 'x') })),
  message('a long message that is no JSON', 300_000, (n) => '['.repeat(n)),
];
