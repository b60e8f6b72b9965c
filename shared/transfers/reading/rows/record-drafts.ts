/** Rows of orders, and of products that are found by their ids: each record is merged and measured once. */
import type { DocumentData } from '../../../domain/records/document';
import { documentBytes } from '../../../domain/records/document';
import { MergedRecord } from '../../../domain/records/merged-record';
import { orderRules } from '../../../domain/records/order';
import { productRules } from '../../../domain/records/product';
import { withoutParts } from '../../../domain/records/removed-parts';
import type { EventLoopShare } from '../../../platform/async/event-loop-share';
import { runInShares } from '../../../platform/async/event-loop-share';
import { ValidationFailed } from '../../../validation/validation-failed';
import { datedRevision, fromDocument } from '../../../workspace/record-documents';
import { tooLarge } from '../../../workspace/size-checks';
import type { PartDeletion } from '../../../workspace/tombstones';
import { deletedAfter, partDeletionsOf, toPartDeletionsField } from '../../../workspace/tombstones';
import type { Workspace } from '../../../workspace/workspace';
import type { RecordChange } from '../../runs/changes';
import type { LocatedRow, RowContext } from './located-row';
import type { NewerDeletions } from './newer-deletions';

/** A record while rows are merged into it. */
interface Draft {
  readonly merged: Merged;
  /** The deletions of parts that the record remembers. */
  partDeletions: readonly PartDeletion[];
}

type Merged = MergedRecord<object, object, object, object>;
type Rules = ConstructorParameters<typeof MergedRecord<object, object, object, object>>[0];

export class RecordDrafts {
  /** By the path of their record. */
  private readonly drafts = new Map<string, Draft>();

  constructor(
    private readonly workspace: Workspace,
    private readonly context: RowContext,
    private readonly newerDeletions: NewerDeletions,
  ) {}

  /**
   * Merges a row into its record. The row must be at least as new as the record.
   * @returns what it has changed
   * @throws ValidationFailed (at the index 0) when the record would outgrow its document; nothing changed
   */
  async store(row: LocatedRow, share: EventLoopShare): Promise<Exclude<RecordChange, 'Deleted'>> {
    const { workspace, newerDeletions } = this;
    const { at, path, dto } = row;
    const { tenant, revision } = this.context;
    const draft = this.draftOf(path);
    const isNew = !workspace.has(path);
    const remembered = isNew ? newerDeletions.partDeletionsInTombstone(row) : draft.partDeletions;
    const partDeletions = deletedAfter(remembered, at);
    const own = { revision: datedRevision(revision, at), ...toPartDeletionsField(partDeletions) } as DocumentData;
    const targets = partDeletions.map(({ target }) => target);
    await runInShares(draft.merged.adding(withoutParts(dto, targets, tenant.productIdentifier)), share);
    const bytes = documentBytes(own) + draft.merged.bytes();
    const errors = tooLarge(bytes, 0, () => draft.merged.largestField());
    if (errors) {
      draft.merged.undo();
      workspace.requireUnchanged(path); // that the row does not fit is true of the record as it is stored now
      throw new ValidationFailed(errors);
    }
    draft.partDeletions = partDeletions;
    const toData = () => ({ ...(draft.merged.record as DocumentData), ...own });
    workspace.putDeferred(path, { bytes, asOf: at, toData });
    if (isNew) return 'Created';
    return draft.merged.hasChanged ? 'Updated' : 'Unchanged';
  }

  /** Drops the draft of a record, which stays in the workspace as it is. @returns whether there was one */
  drop(path: string): boolean {
    return this.drafts.delete(path);
  }

  /** A new draft is the stored record. It is kept even when the row does not fit, for the rows after it. */
  private draftOf(path: string): Draft {
    const known = this.drafts.get(path);
    if (known) return known;
    const { tenant, kind, now } = this.context;
    const data = this.workspace.get(path);
    const rules = kind === 'orders' ? orderRules(tenant.orderCustomer, now) : productRules(tenant.productIdentifier);
    const merged = new MergedRecord(rules as unknown as Rules, data && fromDocument<object>(data));
    const draft = { merged, partDeletions: partDeletionsOf(data) };
    this.drafts.set(path, draft);
    return draft;
  }
}
