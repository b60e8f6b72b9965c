/** What is read, merged and written at once of stored records. */

/**
 * Records that an instance remembers as written, 10 full batches and up to twice as many, of about 200 bytes, 4 MB;
 * and tenants that have what it does not remember.
 */
export const MAX_REMEMBERED_RECORDS = 10_000;
export const MAX_REMEMBERED_TENANTS = 10_000;

/** Bytes of one stored record. Firestore's limit is 1,048,576; the rest is for the service's own fields. */
export const MAX_RECORD_BYTES = 1_040_000;

/** Half of it: whatever is merged of two smaller ones fits. */
export const LARGE_RECORD_BYTES = MAX_RECORD_BYTES / 2;

/** Documents in one read, so that a batch is read by parallel calls. */
export const READ_CHUNK_DOCUMENTS = 250;

/** Calls at once of a read that is bounded by bytes: what they receive beyond the bound is thrown away, and paid. */
export const BOUNDED_READS_AT_ONCE = 4;

/**
 * About how many bytes of records a batch reads, merges and sends at a time, and how many windows of larger batches an
 * instance works on at once. An ordinary batch takes a few hundred kilobytes and so is one window. Decoded, merged and
 * encoded, a window takes about six times its bytes, and one record more. With 16 requests at once, which all begin
 * with one, that stays below 300 MB.
 */
export const MERGE_WINDOW_BYTES = 2_000_000;
export const MERGE_WINDOWS_AT_ONCE = 4;

/** Documents of a page of a collection that is read as a whole: a few hundred kilobytes of ordinary records. */
export const LIST_PAGE_DOCUMENTS = 300;

/** Stored bytes in one commit: Firestore takes 10 MiB a call (its emulator 4 MiB), encoding included. */
export const COMMIT_BYTES = 1_500_000;

/**
 * Documents and bytes in one of the calls that write documents side by side. Firestore takes 500 documents a call; and
 * one processor works on a call while the others wait (the emulator takes 52 ms for 200 products in one call, 27 in
 * two), so that a few small calls come to their end together where two large ones do not. With the document that fills
 * it, the largest there is, a call stays below `COMMIT_BYTES`.
 */
export const WRITE_CALL_DOCUMENTS = 500;
export const WRITE_CALL_BYTES = 200_000;

/** From when the database receives a commit until it is done, at most: no call waits for so long. */
export const LONGEST_COMMIT_MS = 60_000;

/** Values of a field that one query looks for: as many as the database takes. */
export const QUERY_VALUES = 30;

/** Customers that one row of a file names; rows are looked up DELETIONS_AT_ONCE at a time. */
export const FEW_MATCHING_CUSTOMERS = 25;

/**
 * Variants of a product that is matched by Sku: the commit that writes, moves or deletes it writes an index entry for
 * each, of up to 400 bytes with its path, and the emulator takes 4 MiB in one call (Firestore: 10 MiB).
 */
export const MAX_VARIANTS_BY_SKU = 8_750;

/**
 * Products that the index entry of a Sku lists, the first that took it: usually there is one, and some where the tenant
 * was re-keyed. Each takes 44 bytes of an entry, of which one commit writes as many as a product has variants.
 */
export const MAX_SKU_HOLDERS = 5;

/** Bytes that an index entry with one product takes in a commit, with its path: what a plan reckons with. */
export const SKU_ENTRY_BYTES = 420;

/**
 * Stored bytes that one commit takes of products that cannot be written apart because they exchange ids or Skus: as
 * many as the largest product with its index entries, which has to fit anyway.
 */
export const SKU_COMMIT_BYTES = MAX_RECORD_BYTES + MAX_VARIANTS_BY_SKU * SKU_ENTRY_BYTES;

/**
 * Stored bytes that one commit takes beside the product that takes the most of it, where that is more than
 * COMMIT_BYTES: small changes between those of one product of many variants do not have it written again for each of
 * them. Entries rarely take what is reckoned with, so that both stay below 4 MiB.
 */
export const SKU_COMMIT_EXTRA_BYTES = 300_000;

/**
 * What is in memory at once while a batch of products that are matched by Sku is planned: stored bytes of products that
 * are read, which take about six times as much in memory; index entries of the Skus that are sent; stored bytes of
 * changes, with index entries, of which a body of full size makes fewer unless it moves large products; and products
 * that are tried at once where a batch is larger.
 */
export const SKU_PLAN_BYTES = 4_000_000;
export const SKU_PLAN_ENTRIES = 20_000;
export const SKU_PLAN_CHANGES = 24_000_000;
export const SKU_GROUPS_AT_ONCE = 4;

/**
 * Deletions of parts that a record did not hold, as many as are remembered of one record, the newest, and characters of
 * the ids of part and record, trimmed: no longer one is ever stored. Together at most 650 kB, so that a tombstone
 * always fits its document. No shop deletes as many lines that it never sent.
 */
export const MAX_PART_DELETIONS = 500;

/**
 * Deletions of parts that a record does not hold, before they are reduced to those that it can remember: a row may have
 * MAX_PARTS of them.
 */
export const MISSED_PARTS_AT_ONCE = 4 * MAX_PART_DELETIONS;
export const MAX_PART_ID_LENGTH = 100;
