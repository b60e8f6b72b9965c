/**
 * The names of the routes. Each of the API has a description in `functions/<function>/description/`, and does not
 * compile without it.
 */
export type CustomersOperation = 'upsertCustomers' | 'deleteCustomer' | 'deleteCustomers' | 'findCustomers';

export type ProductsOperation =
  'upsertProducts' | 'deleteProduct' | 'deleteProductVariant' | 'deleteProducts' | 'getProduct';

export type OrdersOperation = 'upsertOrders' | 'deleteOrder' | 'deleteOrderItems' | 'deleteOrders' | 'getOrder';

export type IngestionOperation =
  | 'registerHistoricalTransfer'
  | 'registerDailyTransfer'
  | 'registerHourlyTransfer'
  | 'registerLiveTransfer'
  | 'unregisterTransfer'
  | 'listTransfers'
  | 'runTransfer'
  | 'listRuns'
  | 'getRun'
  | 'listRunFiles'
  | 'listRunErrors'
  | 'replayRun'
  | 'cancelRun'
  | 'previewTransfer';

export type UsageOperation = 'getUsage';

/** The console's own, which are not in `openapi.json`. */
export type ConsoleOperation =
  | 'beginSession'
  | 'getSession'
  | 'endSession'
  | 'listSessionTenants'
  | 'findLastRuns'
  | 'sumUsage'
  | 'listWaitingDeletions'
  | 'countDeadLetters'
  | 'findMarkedKeys'
  | 'replayDeadLetters'
  | 'discardDeadLetters'
  | 'retryDeletions'
  | 'listAudit'
  | 'listKeys'
  | 'sumKeyRequests'
  | 'createKey'
  | 'rotateKey'
  | 'revokeKey';

/** Those of the console about tenants and their settings. */
export type TenantsOperation =
  | 'getTenant'
  | 'changeTenant'
  | 'countTenantRecords'
  | 'rekeyTenant'
  | 'findTenants'
  | 'createTenants'
  | 'suspendTenant'
  | 'resumeTenant'
  | 'describeErasure'
  | 'eraseTenant';

export type OperationId =
  | CustomersOperation
  | ProductsOperation
  | OrdersOperation
  | IngestionOperation
  | UsageOperation
  | ConsoleOperation
  | TenantsOperation;
