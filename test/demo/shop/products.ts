/** The shop's products: a variant for every size and colour of `catalogue.json`, then prices, stock and new numbers. */
import type { Fields } from '../fields';
import catalogue from './catalogue.json';
import type { Delivery } from './delivery';
import { inParts, toCents } from './delivery';

interface Article {
  readonly id: string;
  readonly name: string;
  readonly taxonomy: readonly string[];
  readonly brand: string;
  readonly sizes: readonly string[];
  readonly colors: readonly string[];
  readonly price: number;
  readonly currency: string;
  readonly offlineExclusive?: boolean;
}

/** A variant with what an order needs to know of it. */
export interface Variant {
  readonly productId: string;
  readonly id: string;
  readonly sku: string;
  readonly brand: string;
  readonly price: number;
  readonly size?: string;
  readonly color?: string;
}

const ARTICLES: readonly Article[] = catalogue;

export const VARIANTS: readonly Variant[] = ARTICLES.flatMap(variantsOf);

export const PRODUCT_DELIVERIES: readonly Delivery[] = [
  ...inParts('products', 'catalogue', ARTICLES.map(toProduct), 20),
  { kind: 'products', title: 'sale prices (Skus and prices only)', batch: saleFeed() },
  { kind: 'products', title: 'stock, some products twice', batch: stockFeed() },
  { kind: 'products', title: 'three products get new ids', batch: renumbered() },
];

function variantsOf({ id, brand, sizes, colors, price }: Article): Variant[] {
  const choices = (sizes.length > 0 ? sizes : [undefined]).flatMap((size) =>
    (colors.length > 0 ? colors : [undefined]).map((color) => ({
      ...(size !== undefined && { size }),
      ...(color !== undefined && { color }),
    })),
  );
  return choices.map((choice, i) => {
    const number = String(i + 1).padStart(2, '0');
    return {
      productId: id,
      id: `${id}/${number}`,
      sku: `${id}-${number}`,
      brand,
      price: toCents(price * (1 + i / 10)),
      ...choice,
    };
  });
}

function toProduct(article: Article, i: number): Fields {
  return {
    ProductId: article.id,
    ProductName: article.name,
    Taxonomy: article.taxonomy,
    ...(article.offlineExclusive !== undefined && { IsOfflineExclusive: article.offlineExclusive }),
    ProductVariants: variantsOf(article).map((variant, j) => ({
      VariantId: variant.id,
      Sku: variant.sku,
      Name: [article.name, variant.color, variant.size].filter(Boolean).join(', '),
      ...(j % 3 !== 2 && { Image: `https://img.example.com/${encodeURIComponent(variant.sku)}.jpg?w=800&q=80` }),
      ...(variant.size !== undefined && { Size: variant.size }),
      ...(variant.color !== undefined && { Color: variant.color }),
      Stock: (i * 13 + j * 7) % 60,
      OriginalPrice: variant.price,
      ...(j % 2 === 0 && { SalePrice: toCents(variant.price * 0.9) }),
      Currency: article.currency,
      IsAvailable: (i + j) % 11 !== 0,
      ...(j % 5 === 0 && { Language: 'EN-gb' }),
      BrandName: article.brand,
      Url: `https://shop.example.com/p/${encodeURIComponent(article.id)}#${j + 1}`,
    })),
  };
}

/** Names and all else stay as they are. */
function saleFeed(): Fields[] {
  return ARTICLES.filter((_, i) => i % 3 === 0).map((article) => ({
    ProductId: article.id,
    ProductVariants: variantsOf(article).map(({ id, sku, price }, j) => ({
      VariantId: id,
      Sku: sku,
      SalePrice: j % 4 === 3 ? null : toCents(price * 0.75),
    })),
  }));
}

function stockFeed(): Fields[] {
  const feed = ARTICLES.filter((_, i) => i % 4 === 1).map((article, i) => ({
    ProductId: article.id,
    ProductVariants: variantsOf(article)
      .slice(0, 2)
      .map(({ id, sku }) => ({ VariantId: id, Sku: sku, Stock: i, IsAvailable: i > 0 })),
  }));
  const soldOutMeanwhile = feed.slice(2, 5).map((product) => ({
    ...product,
    ProductVariants: product.ProductVariants.map((variant) => ({ ...variant, Stock: 0, IsAvailable: null })),
  }));
  return [...feed, ...soldOutMeanwhile];
}

/** A shop that identifies products by Sku keeps three products; one that does so by id gets three more. */
function renumbered(): Fields[] {
  return ARTICLES.filter(({ id }) => ['SOCK-3', 'TEA-OO', 'GIFT'].includes(id)).map((article) => ({
    ProductId: `NEW-${article.id}`,
    ProductName: `${article.name} (new)`,
    ProductVariants: variantsOf(article).map(({ id, sku }) => ({ VariantId: id, Sku: sku, Stock: 8 })),
  }));
}
