/**
 * What a caller should do about each message of the document, in the order of their statuses. In a message `…` stands
 * for any text. A message without advice, or with two, makes no page.
 */
export const ADVICE: readonly (readonly [message: string, advice: string])[] = [
  // 400: the address
  ['Invalid tenant identifier.', 'Send the id of the tenant as a GUID.'],
  ['The URL contains a malformed percent-encoding.', 'Encode ids once, as UTF-8: a `%` in an id is `%25`.'],
  ['The query parameter … must be given once.', 'Send the parameter once. Look for a URL to which it was added twice.'],
  [
    'Names of query parameters are case-sensitive: please write …',
    'Write the name as the message does. Nothing was stored or deleted.',
  ],
  ['The query parameter onInvalid must be skip, or be left out.', 'Send `onInvalid=skip`, or leave it out.'],
  ['The query parameter validateOnly must be true, or be left out.', 'Send `validateOnly=true`, or leave it out.'],
  [
    'The query parameter validateOnly does not apply to a single delete. Please leave it out.',
    'Nothing was deleted. To check a deletion, send it as a batch to `…/deletions?validateOnly=true`.',
  ],
  [
    'The query parameter … must be a day or time such as …',
    'Send `2026-03-01` or `2026-03-01T10:00:00Z`, or leave it out.',
  ],
  ['The query parameter from must be before …', 'Look whether the two are mixed up, and at their offsets.'],
  ['The query parameter from must be at most … days before to.', 'Ask for a shorter time.'],
  ['The range has too many counters for one answer. …', 'Ask for a shorter time.'],
  ['The query parameter limit must be a whole number from …', 'Send a number within the bounds, or leave it out.'],
  ['The query parameter status must be one of …', 'Send one of the words that the message lists, or leave it out.'],
  [
    'The query parameter pageToken is no token of this list.',
    'Send `NextPageToken` as it came, to the same list with the same filters. Without it you get the first page.',
  ],
  [
    'The query parameter … does not apply to …, which has all errors.',
    'Leave the parameter out, or ask for JSON: a stream has no pages.',
  ],
  ['A stream needs HTTP/1.1 or newer.', 'Ask by HTTP/1.1, or read the errors as pages of JSON.'],
  [
    'Customer ID or email is required.',
    'Send `customerId`, `email` or both, with a value. Look for an empty variable.',
  ],
  ['Product ID is required.', 'Put the id into the path. Look for an empty variable.'],
  ['Variant ID is required.', 'Put the id into the path. Look for an empty variable.'],
  ['Order ID is required.', 'Put the id into the path. Look for an empty variable.'],
  ['Product ID or SKU is required.', 'Send `productId`, `sku` or both, with a value. Look for an empty variable.'],
  ['Job ID is required.', 'Send `jobId`, as the registration answered it.'],
  // 400: the body
  ['The … field is required.', 'Send the field with a value. Null, empty and blank count as missing.'],
  [
    '…at least one of CustomerId, Email must have a value.',
    'Send one of the two in the element that the message names, or leave the element out.',
  ],
  [
    'at least one of ProductId, Sku must have a value; leave both out to delete the order.',
    'Look for an empty variable: a deletion of an item must not become that of its order.',
  ],
  ['The field … must be well-formed Unicode text.', 'Look for text that was cut in the middle of a character.'],
  ['The field … must be an e-mail address.', 'Send text on both sides of one `@`, without white space.'],
  ['The field … must be an ISO 4217 currency code.', 'Send a code of money in use, such as `EUR`.'],
  [
    'The field … must be an ISO 8601 date or date-time.',
    'Send `2026-03-01` or `2026-03-01T10:00:00Z`, a day that exists.',
  ],
  ['The field … must be a valid Cloud Storage bucket name.', 'Send the bare name: no `gs://`, no folder.'],
  ['The request body must be nested at most …', 'Look at what makes the body: no record is nested so deeply.'],
  ['The request body must hold at most …', 'Send smaller batches.'],
  ['The request body must have at most …', 'Look at what makes the body: no record has so many fields.'],
  [
    'The field … is too large to store: …',
    'Split the record. What is stored of it counts, too: delete variants or items that you do not need.',
  ],
  // 401 to 409
  [
    'The API key is missing, incorrect or revoked.',
    'Send the key in `x-service-auth-key`, whole and without blanks. If it still fails, ask the operator for a new one. Do not repeat.',
  ],
  [
    'The API key lacks the permission …',
    'Use a key that has the permission, or ask the operator for one. Do not repeat.',
  ],
  [
    "The tenant does not belong to the API key's organization.",
    'Look whether tenant and key belong together, also those of test and production.',
  ],
  [
    'The tenant is suspended.',
    'Nothing was done. Ask the operator, and send it again when the tenant is resumed. Transfers go on by themselves then.',
  ],
  [
    'The bucket is registered by another organization.',
    'If the bucket is yours, take the role away from the service, and ask the operator to release the bucket.',
  ],
  [
    'Tenant not found.',
    'Look at the id of the tenant, and at the address: test and production have different tenants.',
  ],
  ['Product not found.', 'Nothing to do: no product has this id, or it was deleted.'],
  ['Order not found.', 'Nothing to do: no order has this id, or it was deleted.'],
  ['Run not found.', 'Look at the id of the run. Runs are kept for 90 days after their end.'],
  ['Transfer not found.', 'Look at `jobId`: the list of transfers has those that are registered.'],
  ['The errors of the run are no longer kept.', 'Nothing to do: reports are kept for 90 days. Run the transfer again.'],
  [
    'The request body did not arrive in time. …',
    'Send it again, at no less than 24 kB a second. Compress it, or send smaller batches.',
  ],
  ['The run has ended.', 'Nothing to do: a run that has ended cannot be cancelled.'],
  ['The run has not ended.', 'Wait for its end, and ask again.'],
  ['The run is a preview, which stores nothing: run the transfer first.', 'Run the transfer, and replay that run.'],
  // 413 to 503
  ['The request body must be at most … bytes, before and after decompression.', 'Send smaller batches.'],
  [
    'The batch would change too much to be checked at once. …',
    'Check it in smaller batches. To send it, no change is needed.',
  ],
  ['The Content-Type must be application/json in UTF-8.', 'Send `Content-Type: application/json`.'],
  ['The Content-Encoding must be gzip or identity.', 'Compress with gzip, or not at all.'],
  [
    'Rate limit exceeded. Please try again in … seconds.',
    'Wait `Retry-After` seconds. Send larger batches, or ask the operator for a higher limit.',
  ],
  ['Too many checks at once. Please try again later.', 'Wait `Retry-After` seconds. Send one check after the other.'],
  [
    'Too many streams at once. Please try again later.',
    'Wait `Retry-After` seconds. Read two streams at once at most.',
  ],
  [
    'An unexpected error occurred. Please try again.',
    'Send it again, with exponential backoff: a repeat is safe. If it stays, tell the operator the `X-Trace-Id`.',
  ],
  [
    'Failed to …',
    'Send it again, with exponential backoff: a repeat is safe. If it stays, tell the operator the `X-Trace-Id`.',
  ],
  [
    'The service is overloaded. Please try again later.',
    'Send it again after `Retry-After` seconds. Nothing was stored.',
  ],
  [
    'No more transfers can be scheduled at the moment. Please try again later.',
    'Nothing was scheduled. Send it again after some minutes: the operator has been alerted.',
  ],
  [
    'The request could not be finished in time, and a part of it may be done. …',
    'Send it again as it is after `Retry-After` seconds: that is safe. If it stays, send smaller batches.',
  ],
];
