/** What slices of a file are prepared from, in tests that commit them one by one. */
import type { DocumentStore } from '../../../shared/documents/document-store';
import type { RecordKind } from '../../../shared/domain/identity';
import type { Tenant } from '../../../shared/domain/tenant';
import type { Row } from '../../../shared/files/row';
import type { SliceSource } from '../../../shared/transfers/reading/check-slice';
import type { TransferDependencies } from '../../../shared/transfers/runs/steps';
import type { DeletionsLab } from '../deletions/deletions-lab';

/** @param startedAt of the file's run: no row may be later than this and the upload */
export function sliceSource(tenant: Tenant, kind: RecordKind, updated: Date, startedAt = updated): SliceSource {
  return {
    run: { startedAt },
    tenant,
    file: { kind, updated, object: 'o', generation: '1' },
    replayed: undefined,
    ignoredFields: new Set(),
  } as unknown as SliceSource;
}

export function toRows(records: readonly object[]): Row[] {
  return records.map((record, index) => ({ line: index + 1, record }));
}

/** What slices use of the lab. */
export function sliceDependencies(lab: DeletionsLab, store: DocumentStore = lab.store): TransferDependencies {
  return lab.with(store) as unknown as TransferDependencies;
}
