/** How many stored records are read, merged and written at once. */

/**
 * Records that an instance remembers as written: 10 full batches, and up to twice as many. Each takes about 200 bytes,
 * 4 MB in all.
 */
export const MAX_REMEMBERED_RECORDS = 10_000;

/**
 * Tenants of which an instance remembers something: that they have records which it does not remember; of a kind of
 * their records, whether deletions were pending.
 */
export const MAX_REMEMBERED_TENANTS = 10_000;

/** Bytes of one stored record. Firestore's limit is 1,048,576; the rest is for the service's own fields. */
export const MAX_RECORD_BYTES = 1_040_000;

/** Half the bound: two records that are smaller than this can always be merged. */
export const LARGE_RECORD_BYTES = MAX_RECORD_BYTES / 2;

/** Documents in one read, so that a batch is read by parallel calls. */
export const READ_CHUNK_DOCUMENTS = 250;

/**
 * Parallel calls of a read that is bounded by bytes. What they receive beyond the bound is paid for and thrown away.
 */
export const BOUNDED_READS_AT_ONCE = 4;

/**
 * A batch reads, merges and sends its records in windows of about MERGE_WINDOW_BYTES. An ordinary batch takes a few
 * hundred kilobytes and is one window. An instance works on at most MERGE_WINDOWS_AT_ONCE windows of larger batches.
 * Decoded, merged and encoded, a window takes about six times its bytes, plus one record. All 16 requests of an
 * instance begin with one window, and together they stay below 300 MB.
 */
export const MERGE_WINDOW_BYTES = 2_000_000;
export const MERGE_WINDOWS_AT_ONCE = 4;

/**
 * How often a batch whose invalid elements are skipped is stored, each time without those that turned out not to fit
 * into their stored records. Most attempts find all of them; by `Sku`, each finds one.
 */
export const SKIPPING_ATTEMPTS = 5;

/**
 * Batches that are only checked (`validateOnly`). A check keeps what it would write to its end: TRIAL_BYTES of stored
 * documents at most, which take up to four times as much in memory. An ordinary batch takes a few hundred kilobytes, a
 * full one of the longest customers 7 MB, and 100 products of 125 new variants each 5 MB. By Sku these take 8.9 MB,
 * because each Sku has an index entry of 309 bytes. TRIALS_AT_ONCE checks keep up to 76 MB in an instance; further ones
 * wait. With sixteen batches of the smallest parts at once an instance takes up to 460 of its 512 MiB.
 */
export const TRIAL_BYTES = 9_500_000;
export const TRIALS_AT_ONCE = 2;

/**
 * Checks that run and wait in an instance, in all and of one organization; further ones are refused at once. They have
 * half of the requests that Cloud Run sends an instance, so that upserts are served beside them. The last of them waits
 * for three others, each of which takes a few seconds at most.
 */
export const MAX_TRIALS = 8;
export const MAX_TRIALS_OF_ORGANIZATION = 4;

/** Documents in a page of a collection that is read as a whole: a few hundred kilobytes of ordinary records. */
export const LIST_PAGE_DOCUMENTS = 300;

/** Stored bytes of records in a page, plus at most one record. Decoded, they take about six times as much. */
export const RECORDS_PAGE_BYTES = 4 * 1024 * 1024;

/** Stored bytes in one commit. Firestore takes 10 MiB a call (its emulator 4 MiB), encoding included. */
export const COMMIT_BYTES = 1_500_000;

/**
 * Documents and bytes in one of the calls that write documents in parallel. Firestore takes 500 documents a call. One
 * processor works on each call, so a few small calls finish sooner than two large ones: the emulator takes 52 ms for
 * 200 products in one call, and 27 ms in two. The document that fills a call may be the largest there is; the call
 * still stays below COMMIT_BYTES.
 */
export const WRITE_CALL_DOCUMENTS = 500;
export const WRITE_CALL_BYTES = 200_000;

/** The longest time from when the database receives a commit until it is done. No call waits that long. */
export const LONGEST_COMMIT_MS = 60_000;

/**
 * Values of a field that one query looks for; the database takes 30. The emulator goes through the whole collection for
 * each value: of 20,000 customers 0.28 s, so that 30 would take longer than CALL_TIMEOUT_MS and never be answered.
 */
export const QUERY_VALUES = 10;

/**
 * Customers without the priority identifier that are looked up for one batch, or one slice of a file, only to be warned
 * of: ten queries at once, of so many customers each (a customer has one without the priority identifier beside
 * it; the rest is for ids that are shared), for so long at most.
 */
export const LOOKED_UP_FOR_WARNING = 100;
export const MATCHES_FOR_WARNING = 50;
export const LOOK_UP_FOR_WARNING_MS = 2_000;

/**
 * Customers that one answer shows; more share an identifier in few shops. The largest customer takes 7 kB, so an answer
 * takes less than a megabyte.
 */
export const MAX_READ_CUSTOMERS = 100;

/**
 * Answers with records that an instance makes at once. The largest record takes some 13 MB while it is decoded, shown
 * and encoded: 100 MB in all.
 */
export const RECORD_READS_AT_ONCE = 8;

/** Customers that the deletion of one row of a file names; DELETIONS_AT_ONCE rows are looked up at a time. */
export const FEW_MATCHING_CUSTOMERS = 25;

/**
 * Variants of a product that is matched by Sku. The commit that writes, moves or deletes the product writes an index
 * entry for each variant, of up to 400 bytes with its path. The emulator takes 4 MiB in one call (Firestore: 10 MiB).
 */
export const MAX_VARIANTS_BY_SKU = 8_750;

/**
 * Products that the index entry of a Sku lists: the first ones that used it. Usually there is one, and a few where the
 * tenant was re-keyed. Each takes 44 bytes of an entry, and one commit writes as many entries as a product has
 * variants.
 */
export const MAX_SKU_HOLDERS = 5;

/** Estimated bytes of an index entry with one product in a commit, with its path. */
export const SKU_ENTRY_BYTES = 420;

/**
 * Stored bytes in one commit of products that must be written together because they exchange ids or Skus. It equals the
 * largest product with its index entries, which has to fit anyway.
 */
export const SKU_COMMIT_BYTES = MAX_RECORD_BYTES + MAX_VARIANTS_BY_SKU * SKU_ENTRY_BYTES;

/**
 * Stored bytes that a commit takes in addition to its largest product, if that product alone exceeds COMMIT_BYTES.
 * Small changes that come between those of a product with many variants then do not write that product again each time.
 * Entries rarely take their estimated size, so both together stay below 4 MiB.
 */
export const SKU_COMMIT_EXTRA_BYTES = 300_000;

/**
 * The memory of planning a batch of products that are matched by Sku:
 *
 * - SKU_PLAN_BYTES: stored bytes of the products that are read; they take about six times as much in memory.
 * - SKU_PLAN_ENTRIES: index entries of the Skus that are sent.
 * - SKU_PLAN_CHANGES: stored bytes of changes, with index entries. A body of full size makes fewer, unless it moves
 *   large products.
 * - SKU_GROUPS_AT_ONCE: groups of products that are tried at once, if a batch is larger than this.
 */
export const SKU_PLAN_BYTES = 4_000_000;
export const SKU_PLAN_ENTRIES = 20_000;
export const SKU_PLAN_CHANGES = 24_000_000;
export const SKU_GROUPS_AT_ONCE = 4;

/**
 * Deletions of parts that a record did not hold: the newest are remembered, up to this number for one record. Together
 * they take at most 650 kB, so a tombstone always fits its document. No shop deletes as many lines that it never sent.
 */
export const MAX_PART_DELETIONS = 500;

/** Bytes of a tombstone that is kept beside its record, within what MAX_RECORD_BYTES leaves of Firestore's limit. */
export const MAX_TOMBSTONE_BESIDE_BYTES = 4_000;

/**
 * Deletions of parts that a record does not hold, before they are reduced to MAX_PART_DELETIONS. One row may have
 * MAX_PARTS.
 */
export const MISSED_PARTS_AT_ONCE = 4 * MAX_PART_DELETIONS;

/** Characters of the ids of a part and its record in a remembered deletion, trimmed: no longer id is ever stored. */
export const MAX_PART_ID_LENGTH = 100;
