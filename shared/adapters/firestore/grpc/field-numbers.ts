/** The field numbers of `google.firestore.v1` that the service uses, by message. */

export const BatchGetDocumentsRequest = { database: 1, documents: 2, mask: 3, transaction: 4 } as const;
export const BatchGetDocumentsResponse = { found: 1, missing: 2 } as const;
export const BeginTransactionRequest = { database: 1, options: 2 } as const;
export const BeginTransactionResponse = { transaction: 1 } as const;
export const TransactionOptions = { readWrite: 3 } as const;
/** `CommitRequest`, and `BatchWriteRequest`, which is the same without the transaction. */
export const WriteRequest = { database: 1, writes: 2, transaction: 3 } as const;
export const RollbackRequest = { database: 1, transaction: 2 } as const;
export const CommitResponse = { writeResults: 1, commitTime: 2 } as const;
export const BatchWriteResponse = { status: 2 } as const;
export const RunQueryRequest = { parent: 1, structuredQuery: 2, transaction: 5 } as const;
export const RunQueryResponse = { document: 1 } as const;
export const RunAggregationQueryRequest = { parent: 1, structuredAggregationQuery: 2 } as const;
export const RunAggregationQueryResponse = { result: 1 } as const;

export const Document = { name: 1, fields: 2, createTime: 3, updateTime: 4 } as const;
/** An entry of a map field. */
export const MapEntry = { key: 1, value: 2 } as const;
export const Value = {
  boolean: 1,
  integer: 2,
  double: 3,
  reference: 5,
  map: 6,
  array: 9,
  timestamp: 10,
  null: 11,
  string: 17,
} as const;
export const ArrayValue = { values: 1 } as const;
export const MapValue = { fields: 1 } as const;

export const Write = { update: 1, delete: 2, updateMask: 3, currentDocument: 4, updateTransforms: 7 } as const;
export const DocumentMask = { fieldPaths: 1 } as const;
export const Precondition = { exists: 1, updateTime: 2 } as const;
export const FieldTransform = { fieldPath: 1, setToServerValue: 2, increment: 3, REQUEST_TIME: 1 } as const;
export const WriteResult = { updateTime: 1, transformResults: 2 } as const;
export const Status = { code: 1, message: 2 } as const;

export const StructuredQuery = { select: 1, from: 2, where: 3, orderBy: 4, limit: 5, startAt: 7, endAt: 8 } as const;
export const Projection = { fields: 2 } as const;
export const CollectionSelector = { collectionId: 2, allDescendants: 3 } as const;
export const Filter = { fieldFilter: 2 } as const;
export const FieldFilter = { field: 1, op: 2, value: 3, EQUAL: 5, IN: 8 } as const;
export const FieldReference = { fieldPath: 2 } as const;
export const Order = { field: 1, direction: 2, ASCENDING: 1, DESCENDING: 2 } as const;
export const Cursor = { values: 1, before: 2 } as const;
export const Int32Value = { value: 1 } as const;
export const StructuredAggregationQuery = { structuredQuery: 1, aggregations: 3 } as const;
export const Aggregation = { count: 1, alias: 7 } as const;
export const AggregationResult = { aggregateFields: 2 } as const;
