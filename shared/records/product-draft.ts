import type { DocumentData, DocumentValue } from '../domain/records/document';
import { documentBytes, fieldBytes, valueBytes } from '../domain/records/document';
import type { UpsertProductDto } from '../domain/dto/product';
import { variantKey } from '../domain/identity';
import type { ProductRecord, VariantRecord } from '../domain/records/product';
import { mergeProduct, mergeVariant, uniteProducts } from '../domain/records/product';
import { PartsDraft } from './parts-draft';

const PARTS = 'ProductVariants';
const RULES = {
  keyOf: (variant: { readonly VariantId: string; readonly Sku: string }) => variantKey(variant, 'sku'),
  merge: mergeVariant,
};

/**
 * A product that is told by Sku, while elements of a batch are merged into it and other products become part of it: the
 * same as `mergeProduct` and `uniteProducts` one after the other. Each step costs what it brings, or the smaller of two
 * products that become one.
 */
export class ProductDraft {
  /** Without its variants; undefined: nothing is stored or merged yet. */
  private product: ProductRecord | undefined;
  private variants: PartsDraft<VariantRecord, UpsertProductDto['ProductVariants'][number]>;
  /** Categories are many texts; those that stay are measured once. */
  private measured: { readonly value: DocumentValue | undefined; readonly bytes: number } | undefined;
  private undo: (() => void) | undefined;

  constructor(stored: ProductRecord | undefined) {
    this.product = stored && { ...stored, [PARTS]: [] };
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

  /** In their matching form. */
  skus(): IterableIterator<string> {
    return this.variants.keys();
  }

  /** Makes what comes a step that can be taken back. */
  setSavepoint(): void {
    const { product, variants } = this;
    variants.setSavepoint();
    this.undo = () => {
      variants.rollBackToSavepoint();
      [this.product, this.variants] = [product, variants];
    };
  }

  /** Takes back what was done since `begin`, once. A product that was united with this one is taken back by itself. */
  rollBackToSavepoint(): void {
    this.undo?.();
    this.undo = undefined;
  }

  /** In steps of PARTS_IN_STEP variants. */
  *merging(sent: UpsertProductDto): Generator<void, void> {
    this.product = mergeProduct(this.product, { ...sent, [PARTS]: [] }, 'sku');
    yield* this.variants.merging(sent.ProductVariants);
  }

  /** Takes another product in; what this one has wins. The other one is not used afterwards. */
  absorb(other: ProductDraft): void {
    if (!other.product) return;
    this.product = this.product ? uniteProducts(this.product, other.product, 'sku') : other.product;
    this.variants = this.variants.absorb(other.variants);
  }

  /** Stored bytes of the product's document. @param own the service's own fields */
  bytesWith(own: DocumentData): number {
    return documentBytes(own) + this.sizes().reduce((sum, [name, bytes]) => sum + fieldBytes(name, bytes), 0);
  }

  /** The field that takes the most of these bytes. */
  largestFieldWith(own: DocumentData): string {
    const owned = Object.keys(own).map((name) => [name, valueBytes(own[name])] as const);
    return [...this.sizes(), ...owned].reduce((largest, field) => (field[1] > largest[1] ? field : largest))[0];
  }

  /** @throws Error when there is none */
  toRecord(): ProductRecord {
    if (!this.product) throw new Error('Nothing was merged into the draft of a product.');
    return { ...this.product, [PARTS]: this.variants.toParts() };
  }

  /** Stored bytes of the values of all fields. */
  private sizes(): (readonly [string, number])[] {
    const fields = { ...this.product } as DocumentData;
    return Object.keys(fields).flatMap((name) => {
      const value = fields[name];
      if (name === PARTS) return [[name, this.variants.bytes] as const];
      if (value === undefined) return [];
      return [[name, name === 'Taxonomy' ? this.taxonomyBytes(value) : valueBytes(value)] as const];
    });
  }

  private taxonomyBytes(value: DocumentValue): number {
    if (this.measured?.value !== value) this.measured = { value, bytes: valueBytes(value) };
    return this.measured.bytes;
  }
}
