/** The largest legal batches over HTTP, more at once than there is memory for. */
import { MAX_BATCH, MAX_BODY_BYTES } from '../../shared/domain/limits';
import type { Received } from '../support/http-exchange';
import { useTestService } from '../support/test-service';

const service = useTestService('products');

const AT_ONCE = 4;
const VARIANTS = 38;
/** As many products as there may be, of as many bytes, with ids of their own. */
function fullBatch(name: number): string {
  const variants = Array.from({ length: VARIANTS }, (_, n) => ({ VariantId: `v${n}`, Sku: `s${n}`, Url: 'u'.repeat(2_000) })); // prettier-ignore
  const products = Array.from({ length: MAX_BATCH.products }, (_, n) => ({ ProductId: `p${name}-${n}`, ProductVariants: variants })); // prettier-ignore
  return JSON.stringify(products);
}

it('are 200 or 503 with Retry-After, and repeats store everything (R-12, R-42)', async () => {
  const { tenantId, key } = await service().createCaller({ requestsPerMinute: 1_000 });
  const send = (raw: string) => service().request('POST', `/products/${tenantId}`, { key, raw });
  const bodies = Array.from({ length: AT_ONCE }, (_, name) => fullBatch(name));
  for (const body of bodies) expect(body.length).toBeGreaterThan(0.9 * MAX_BODY_BYTES);

  // The database stands still until somebody was refused, so that it does not depend on the machine whether one is.
  let goOn = () => {};
  const isRefused = new Promise<void>((resolve) => (goOn = resolve));
  const { store } = service();
  const writeEach = store.writeEach.bind(store);
  jest.spyOn(store, 'writeEach').mockImplementation((...call) => isRefused.then(() => writeEach(...call)));

  const answers: Received[] = [];
  const untilStored = async (body: string) => {
    for (let status = 0; status !== 200;) {
      const answer = await send(body);
      ({ status } = answer);
      answers.push(answer);
      goOn();
      expect([200, 503]).toContain(status);
      if (status === 503) expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    }
  };
  await Promise.all(bodies.map(untilStored));
  expect(answers.filter(({ status }) => status === 503).length).toBeGreaterThan(0);
  const stored = await service().records(tenantId, 'products');
  expect(stored).toHaveLength(AT_ONCE * MAX_BATCH.products);
  for (const { ProductVariants } of stored) expect(ProductVariants).toHaveLength(VARIANTS);
});
