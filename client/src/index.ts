/** Everything that the package exports. */
export { IngestionClient } from './client';
export type { ClientOptions, UsageOptions } from './client';
export type { Customers } from './customers';
export type { Products, ProductsOptions } from './products';
export type { Orders } from './orders';
export type { BadRowFilter, TransferRun } from './transfer-run';
export type { RunFilter, Transfers } from './transfers';
export type { FeedOptions, FeedProgress, FeedResult, Rows } from './feed/feed-types';
export type { CallOptions, Platform } from './http/platform';
export {
  AbortedError,
  ConflictError,
  FeedError,
  ForbiddenError,
  IngestionError,
  NetworkError,
  NotFoundError,
  RateLimitError,
  RequestError,
  ServerError,
  UnauthorizedError,
  ValidationError,
} from './errors';
export type { FieldErrors } from './errors';
export type {
  BucketSetup,
  ConsentChanges,
  ConsentsChanges,
  Customer,
  CustomerChanges,
  CustomerDeleted,
  CustomerDeletion,
  FieldChange,
  FileCounts,
  FoundCustomers,
  HistoricalRegistration,
  KeyUsage,
  Order,
  OrderCustomer,
  OrderDeleted,
  OrderDeletion,
  OrderItem,
  OrderItemsDeleted,
  PreviewExample,
  PreviewOptions,
  PreviewReference,
  Product,
  ProductDeleted,
  ProductDeletion,
  ProductVariant,
  ProductVariantDeleted,
  RecordChanges,
  RecurringRegistration,
  RejectedElement,
  RouteUsage,
  RowCounts,
  RowError,
  Run,
  RunChanges,
  RunFile,
  RunReference,
  RunWithExamples,
  StoredCustomer,
  StoredOrder,
  StoredOrderItem,
  StoredProduct,
  StoredProductVariant,
  Transfer,
  TransferOptions,
  TransferWarning,
  TransferWarningExample,
  UpsertResult,
  Usage,
  UsageCounts,
  UsageStep,
  Warning,
  WarningExample,
} from './contract';
