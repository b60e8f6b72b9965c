/** What the document says first, for somebody who is about to send something. */
import { DEFAULT_REQUESTS_PER_MINUTE, MAX_BATCH, MAX_DELETION_BATCH } from '../../shared/domain/limits';
import { KEY_HEADER, PERMISSIONS } from '../../shared/domain/api-key';

const permissions = PERMISSIONS.map((permission) => `\`${permission}\``).join(', ');

export const INTRODUCTION = `Shops and their agencies (tenants) send customers, products and orders: in batches, or as files in a bucket.

**Keys.** Every request carries \`${KEY_HEADER}\`. A key belongs to an organization and has some of the permissions
${permissions}. Keep it out of browsers and apps.

**Answers** are an envelope: \`success\`, \`message\` and \`data\`; the transfer routes write \`Success\`, \`Message\` and
\`Data\`. A body that breaks a rule is answered with a \`ValidationError\`. Answers may gain members: ignore those that you do
not know.

**Fields.** Names are case-sensitive. Unknown fields are ignored and named in \`ignoredFields\`: read it, a misspelt
\`EmailOptIn\` changes no consent. In an upsert an omitted field stays as it is, and null clears an optional one back to its
default. Send only what you mean to change: a \`false\` that a client fills in withdraws a consent.

**Query parameters** have case-sensitive names. One that may be empty counts as absent when it is empty or blank, and white
space around it is ignored.

**Batches** have at most ${MAX_BATCH.customers} customers, ${MAX_BATCH.products} products, ${MAX_BATCH.orders} orders or
${MAX_DELETION_BATCH} deletions.

**Repeats are safe.** Repeat what got no answer, and 408, 500, 503 and 504 with exponential backoff. Callers are promised an
answer within 30 seconds of the last byte of their request: set a time-out of 60 seconds.

**The rate limit** is ${DEFAULT_REQUESTS_PER_MINUTE} requests in each clock minute and key, unless the operator gave the key
another one. Every request counts but those answered with 401, 405, the 503 of a full instance and the 404 of an unknown
route. After a 429 wait \`Retry-After\` seconds.

**Front end.** A 429, 503 or 504 may come from Google's front end and then has another body and none of these headers: look
at the status first.

**Versions.** The paths are version 1, and only ever gain things.`;
