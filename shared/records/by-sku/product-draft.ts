import type { DocumentData, DocumentValue } from '../../domain/records/document';
import { areSameFields, documentBytes, fieldBytes, valueBytes } from '../../domain/records/document';
import type { UpsertProductDto } from '../../domain/dto/product';
import { variantKey } from '../../domain/identity';
import type { ProductRecord, VariantRecord } from '../../domain/records/product';
import { mergeProduct, mergeVariant, uniteProducts } from '../../domain/records/product';
import { PartsDraft } from '../parts-draft';

const VARIANTS = 'ProductVariants';
const RULES = {
  keyOf: (variant: { readonly VariantId: string; readonly Sku: string }) => variantKey(variant, 'sku'),
  merge: mergeVariant,
};

/**
 * A product that is matched by Sku, while elements of a batch are merged into it and it absorbs other products. The
 * result is the same as that of `mergeProduct` and `uniteProducts` one after the other. A merge costs as much as its
 * element is large, and an absorption as much as the smaller of the two products.
 */
export class ProductDraft {
  /** The product without its variants; undefined: nothing is stored or merged yet. */
  private product: ProductRecord | undefined;
  private variants: PartsDraft<VariantRecord, UpsertProductDto['ProductVariants'][number]>;
  /** The size of the taxonomy, which holds many texts: while it is not replaced, it is measured once. */
  private measuredTaxonomy: { readonly value: DocumentValue | undefined; readonly bytes: number } | undefined;
  private undo: (() => void) | undefined;
  /** The product at the savepoint, without its variants. */
  private before: ProductRecord | undefined;

  constructor(stored: ProductRecord | undefined) {
    this.product = stored && { ...stored, [VARIANTS]: [] };
    this.variants = new PartsDraft(stored?.ProductVariants ?? [], RULES);
  }

  get exists(): boolean {
    return this.product !== undefined;
  }

  get variantCount(): number {
    return this.variants.count;
  }

  /** @param sku in its matching form */
  hasSku(sku: string): boolean {
    return this.variants.has(sku);
  }

  /** The Skus of all variants, in their matching form. */
  skus(): IterableIterator<string> {
    return this.variants.keys();
  }

  /** Sets the savepoint that later changes can be rolled back to. */
  setSavepoint(): void {
    const { product, variants } = this;
    variants.setSavepoint();
    this.before = product;
    this.undo = () => {
      variants.rollBackToSavepoint();
      [this.product, this.variants] = [product, variants];
    };
  }

  /** Whether merging has changed a value since the savepoint. To be asked where nothing was absorbed since. */
  get hasChanged(): boolean {
    return this.variants.hasChanged || !areSameFields(this.before ?? {}, this.product ?? {});
  }

  /** Reverts all changes since the savepoint, once. A product that was absorbed must be rolled back on its own. */
  rollBackToSavepoint(): void {
    this.undo?.();
    this.undo = undefined;
  }

  /** Merges an element. Yields every PARTS_BETWEEN_YIELDS variants. */
  *merging(sent: UpsertProductDto): Generator<void, void> {
    this.product = mergeProduct(this.product, { ...sent, [VARIANTS]: [] }, 'sku');
    yield* this.variants.merging(sent.ProductVariants);
  }

  /**
   * Absorbs another product; fields of this one win. The other draft may not be used any more, except to roll it back.
   */
  absorb(other: ProductDraft): void {
    if (!other.product) return;
    this.product = this.product ? uniteProducts(this.product, other.product, 'sku') : other.product;
    this.variants = this.variants.absorb(other.variants);
  }

  /** Stored bytes of the product's document. @param ownFields the service's own fields */
  bytesWith(ownFields: DocumentData): number {
    return documentBytes(ownFields) + this.sizes().reduce((sum, [name, bytes]) => sum + fieldBytes(name, bytes), 0);
  }

  /** The field of the document that takes the most bytes. */
  largestFieldWith(ownFields: DocumentData): string {
    const ownSizes = Object.keys(ownFields).map((name) => [name, valueBytes(ownFields[name])] as const);
    return [...this.sizes(), ...ownSizes].reduce((largest, field) => (field[1] > largest[1] ? field : largest))[0];
  }

  /** @throws Error if nothing was stored or merged */
  toRecord(): ProductRecord {
    if (!this.product) throw new Error('Nothing was merged into the draft of a product.');
    return { ...this.product, [VARIANTS]: this.variants.toParts() };
  }

  /** The product's fields, each with the stored bytes of its value. */
  private sizes(): (readonly [string, number])[] {
    const fields = { ...this.product } as DocumentData;
    return Object.keys(fields).flatMap((name) => {
      const value = fields[name];
      if (name === VARIANTS) return [[name, this.variants.bytes] as const];
      if (value === undefined) return [];
      return [[name, name === 'Taxonomy' ? this.taxonomyBytes(value) : valueBytes(value)] as const];
    });
  }

  private taxonomyBytes(value: DocumentValue): number {
    if (this.measuredTaxonomy?.value !== value) this.measuredTaxonomy = { value, bytes: valueBytes(value) };
    return this.measuredTaxonomy.bytes;
  }
}
