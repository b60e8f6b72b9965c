import type { RecordId } from '../../domain/identity';
import type { UpsertedCounts } from '../planned-upsert';
import type { PlannedProduct } from './planned-product';

/** Which products a batch has created and which it has updated, over all of its commits. */
export class WrittenProducts {
  /** By the ids under which the products are stored now. */
  private readonly byId = new Map<RecordId, keyof UpsertedCounts>();

  /** Adds the products of one commit. One that is made of stored records is updated, also where it was renamed. */
  add(products: readonly Pick<PlannedProduct, 'id' | 'storedIds'>[]): void {
    const added = products.map(({ id, storedIds }) => {
      const isNew = storedIds.every((storedId) => this.byId.get(storedId) === 'created');
      return [id, isNew ? 'created' : 'updated'] as const;
    });
    for (const { storedIds } of products) for (const id of storedIds) this.byId.delete(id);
    for (const [id, outcome] of added) this.byId.set(id, outcome);
  }

  get isEmpty(): boolean {
    return this.byId.size === 0;
  }

  counts(): UpsertedCounts {
    const outcomes = [...this.byId.values()];
    const created = outcomes.filter((outcome) => outcome === 'created').length;
    return { created, updated: outcomes.length - created };
  }
}
