/** What rows of products that are told by `Sku` count, where a product takes over another one. */
import { SlicesInMemory } from './slices-in-memory';

const product = (ProductId: string, skus: readonly string[], more: object = {}) => ({
  ProductId,
  ProductVariants: skus.map((Sku) => ({ VariantId: Sku, Sku, Stock: 1 })),
  ...more,
});

it.each<[string, readonly object[], object]>([
  ['is created once', [product('a', ['s']), product('a', ['s'])], { Created: 1, Unchanged: 1 }],
  ['is updated by a new id', [product('a', ['s']), product('b', ['s'])], { Created: 1, Updated: 1 }],
  [
    'is updated by taking over another one',
    [product('a', ['s']), product('b', ['t']), product('b', ['s', 't'])],
    { Created: 2, Updated: 1 },
  ],
  [
    'is updated by a value of a variant',
    [product('a', ['s']), { ProductId: 'a', ProductVariants: [{ VariantId: 's', Sku: 's', Stock: 2 }] }],
    { Created: 1, Updated: 1 },
  ],
  [
    'is as it was where a row changes a value twice',
    [
      product('a', ['s']),
      {
        ProductId: 'a',
        ProductVariants: [
          { VariantId: 's', Sku: 's', Stock: 2 },
          { VariantId: 's', Sku: 's', Stock: 1 },
        ],
      },
    ],
    { Created: 1, Unchanged: 1 },
  ],
  [
    'is updated by a list that has changed, and not by the same one',
    [
      product('a', ['s'], { Taxonomy: ['x', 'y'] }),
      product('a', ['s'], { Taxonomy: ['x', 'y'] }),
      product('a', ['s'], { Taxonomy: ['y', 'x'] }),
    ],
    { Created: 1, Unchanged: 1, Updated: 1 },
  ],
])('a product %s (R-85)', async (_what, rows, expected) => {
  for (const productIdentifier of ['sku', 'productid'] as const) {
    const isMoving = new Set(rows.map((row) => (row as { ProductId: string }).ProductId)).size > 1;
    if (isMoving && productIdentifier === 'productid') continue;
    const together = new SlicesInMemory('products', { productIdentifier });
    const [slice] = await together.applyAll(rows);
    expect(slice?.changes).toEqual(expected);
    const apart = new SlicesInMemory('products', { productIdentifier });
    const counted = [];
    for (const row of rows) counted.push(...(await apart.applyAll([row])));
    expect(counted.flatMap(({ changes }) => Object.keys(changes)).sort()).toEqual(
      Object.entries(expected)
        .flatMap(([name, count]) => Array<string>(count as number).fill(name))
        .sort(),
    );
  }
});
