/**
 * A mix of requests like a shop's, to functions that have at most as many requests at once as Cloud Run sends an
 * instance.
 */
import { Agent } from 'node:http';
import { exchange } from '../../support/http-exchange';

const CONNECTIONS = 16;
/**
 * An idle connection is closed after this time: Node's servers do so after 5 s, perhaps just when a request is sent.
 */
const IDLE_MS = 2_000;

type To = 'customers' | 'products' | 'orders';

export interface TrafficOptions {
  /** Where each function listens. */
  readonly ports: Readonly<Record<To, number>>;
  readonly tenantId: string;
  readonly key: string;
}

interface Row {
  readonly to: To;
  readonly method: 'POST' | 'DELETE';
  /** Behind the tenant. */
  readonly path?: string;
  readonly body?: unknown;
  readonly status: number;
}

/** Different records, written again and again, so that the stored data do not grow with the time. */
const RECORDS = 1_000;
const BATCH = 20;
/**
 * One request in so many deletes a customer: few enough that a fast machine has only some a second, because eight a
 * second keep a file of the same tenant from coming forward (docs/operating.md).
 */
const REQUESTS_A_DELETION = 100;

export class Traffic {
  /** What was answered otherwise than it must be. */
  readonly wrong: string[] = [];
  private agents = newAgents();

  constructor(private readonly options: TrafficOptions) {}

  /** Sends one request of the mix. */
  readonly send = async (number: number): Promise<void> => {
    const { ports, tenantId, key } = this.options;
    const { to, method, path = '', body, status } = rowOf(number);
    const sent = exchange({
      port: ports[to],
      method,
      path: `/${tenantId}${path}`,
      headers: { 'x-service-auth-key': key, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      agent: this.agents[to],
    });
    const answer = await sent.catch((error: unknown) => ({ status: 0, text: String(error) }));
    if (answer.status !== status) this.wrong.push(`${method} ${to}: ${answer.status} ${answer.text}`);
  };

  /** Closes its connections; the next request opens new ones. */
  disconnect(): void {
    for (const agent of Object.values(this.agents)) agent.destroy();
    this.agents = newAgents();
  }
}

function newAgents(): Record<To, Agent> {
  const agent = () => new Agent({ keepAlive: true, maxSockets: CONNECTIONS, timeout: IDLE_MS });
  return { customers: agent(), products: agent(), orders: agent() };
}

function rowOf(number: number): Row {
  const record = number % RECORDS;
  const customer = (id: number) => ({ CustomerId: `C-${id}`, Email: `ada-${id}@example.com`, Name: `Ada ${number}` });
  if (number % REQUESTS_A_DELETION === 0) {
    return { to: 'customers', method: 'DELETE', path: `?customerId=C-${record}`, status: 200 };
  }
  switch (number % 10) {
    case 1:
      return { to: 'customers', method: 'POST', body: [{ Email: 'no e-mail' }], status: 400 };
    case 2: {
      const body = Array.from({ length: BATCH }, (_, index) => customer((record + index) % RECORDS));
      return { to: 'customers', method: 'POST', body, status: 200 };
    }
    case 3:
    case 4:
      return { to: 'products', method: 'POST', body: [productOf(record)], status: 200 };
    case 5:
    case 6:
      return { to: 'orders', method: 'POST', body: [orderOf(record)], status: 200 };
    default:
      return { to: 'customers', method: 'POST', body: [customer(record)], status: 200 };
  }
}

function productOf(record: number): object {
  const ProductVariants = [{ VariantId: `V-${record}`, Sku: `S-${record}`, Size: '10 x 20 cm' }];
  return { ProductId: `P-${record}`, ProductVariants };
}

function orderOf(record: number): object {
  const OrderItems = [{ ProductId: `P-${record}`, Sku: `S-${record}`, Quantity: 1, Price: 9.5 }];
  return { OrderId: `O-${record}`, Currency: 'EUR', CustomerId: `C-${record}`, OrderItems };
}
