import { rendezvousOrder } from '../../../shared/domain/rendezvous';

const NODES = ['europe-west1', 'europe-west3', 'europe-west4', 'europe-north1'];
const KEYS = Array.from({ length: 2_000 }, (_, n) => `tenant-${n}`);

it('orders all nodes, by the key and their names alone: not by the order of the list (R-320)', () => {
  for (const key of KEYS.slice(0, 20)) {
    const order = rendezvousOrder(key, NODES);
    expect([...order].sort()).toEqual([...NODES].sort());
    expect(rendezvousOrder(key, [...NODES].reverse())).toEqual(order);
  }
});

it('is the order that jobs were placed by, also in the next version (R-320)', () => {
  expect(rendezvousOrder('0b7c6f6e-1d2a-4c3b-9e8f-a1b2c3d4e5f6', NODES)).toEqual([
    'europe-west3',
    'europe-west1',
    'europe-west4',
    'europe-north1',
  ]);
});

it('keeps the order of the others when a node is added (R-320)', () => {
  for (const key of KEYS) {
    const grown = rendezvousOrder(key, [...NODES, 'us-east1']);
    expect(grown.filter((node) => node !== 'us-east1')).toEqual(rendezvousOrder(key, NODES));
  }
});

it('spreads keys over the nodes: each is preferred by about a quarter (R-320)', () => {
  const preferred = KEYS.map((key) => rendezvousOrder(key, NODES)[0]);
  for (const node of NODES) {
    const share = preferred.filter((first) => first === node).length / KEYS.length;
    expect(share).toBeGreaterThan(0.2);
    expect(share).toBeLessThan(0.3);
  }
});
