/** The bounds of files, runs and reports. */
import { COMMIT_BYTES, MAX_RECORD_BYTES } from './records';

/**
 * Bytes of one record of a file, or of all rows of one CSV group. A stored record has at most 1 MB (MAX_RECORD_BYTES).
 * As JSON it is at most about six times as long (letters as \u escapes, indentation), so no longer text can be stored.
 */
export const MAX_FILE_RECORD_BYTES = 8 * 1024 * 1024;

/**
 * Bytes after which the end of a longer record is no longer searched for. There is no checkpoint inside a record, so it
 * must end within one step. A gigabyte takes some seconds.
 */
export const MAX_FILE_RECORD_SEARCH_BYTES = 1024 ** 3;

/** Bytes of leading blanks in a .json file. There is no checkpoint among them, and no export begins with any. */
export const MAX_JSON_LEADING_BLANKS = 1024 * 1024;

/**
 * Unreadable rows at the start of a file, after which the file is given up. It is not of the kind that its name says,
 * and an error for each row would tell nobody more. These rows are saved with checkpoints, about 80 bytes each.
 */
export const MAX_UNREADABLE_ROWS = 500;

/**
 * Values in one record of a JSON file, counted as MAX_BODY_VALUES, and cells of all rows of one CSV group. A record
 * that can be stored has fewer than 130,000, and unknown fields may have some of their own. Without a bound, 8 MiB of
 * `{},{},…` takes hundreds of megabytes of memory.
 */
export const MAX_FILE_RECORD_VALUES = 250_000;

/** Bytes and columns of a CSV header row. It is saved with every checkpoint, in a document of at most 1 MiB. */
export const MAX_CSV_HEADER_BYTES = 32 * 1024;
export const MAX_CSV_COLUMNS = 1_000;

/** Characters of a header row that an error quotes: enough to see how its columns are separated. */
export const MAX_QUOTED_HEADER_LENGTH = 100;

/**
 * Characters of a quoted CSV cell beyond which its doubled quotes stay as they are. Its value is longer than any
 * record, so no field takes it.
 */
export const MAX_CSV_UNQUOTED_LENGTH = 2 * MAX_RECORD_BYTES;

/** Characters of an identifier that groups CSV rows. It is saved with checkpoints; a valid one has at most 100. */
export const MAX_CSV_GROUP_KEY_LENGTH = 500;

/**
 * Bytes of a CSV record's own fields, as JSON, that are remembered across a bad row between its rows. They are saved
 * with checkpoints, too. A shop's records have a few hundred bytes; the rest is for long lists of categories.
 */
export const MAX_CSV_OWN_FIELDS_BYTES = 64 * 1024;

/**
 * Bytes of own fields in all pieces of one CSV group that bad rows have cut. Each piece repeats them, so without a
 * bound a hundred kilobytes of file could become hundreds of megabytes of records. A shop's group can be cut some
 * thousand times.
 */
export const MAX_CSV_REPEATED_BYTES = 1024 * 1024;

/** Bytes of blank lines that end a CSV group. There is no checkpoint inside a group. */
export const MAX_CSV_GROUP_GAP_BYTES = 1024 * 1024;

/**
 * Bytes that one gzip file may inflate to, and so may the packed blocks of an Avro file, and the pages and the
 * records of a Parquet file. To continue in a gzip file, it is inflated from its start again. This much takes a
 * few minutes, which still fits one step. A 32 MB gzip bomb gets this far and no further.
 */
export const MAX_INFLATED_BYTES = 32 * 1024 ** 3;

/**
 * Bytes at the end of a ZIP archive that are read to find its only entry: of the end, its comment, and the entry's
 * name, fields and comment, of up to 64 KiB each.
 */
export const MAX_ZIP_END_BYTES = 5 * 64 * 1024;

/**
 * Bytes of the header of an Avro file, and of the schema in it. The schema is saved with every checkpoint, as the
 * header row of CSV is. Writers add a few hundred bytes to it.
 */
export const MAX_AVRO_SCHEMA_BYTES = 32 * 1024;
export const MAX_AVRO_HEADER_BYTES = 2 * MAX_AVRO_SCHEMA_BYTES;

/**
 * Bytes of one block of an Avro file, packed and inflated. It is in memory as a whole, as a record of another format
 * is. Writers make blocks of 16 KB to 1 MB.
 */
export const MAX_AVRO_BLOCK_BYTES = MAX_FILE_RECORD_BYTES;

/**
 * Values of an Avro file that take no bytes in it: more values of a record than it has bytes. A few bytes can be any
 * number of them, so without a bound a kilobyte could keep instances busy for days. This many take seconds.
 */
export const MAX_AVRO_EMPTY_VALUES = 10_000_000;

/**
 * Bytes of the pages of one row group of a Parquet file, decompressed, and as they are stored. Its records are put
 * together from pages that are all in memory, and one column is there compressed, too. An instance works on four steps
 * at once: 256 MB outside of its heap at the very most, if nothing can be compressed. DuckDB makes groups of 122,880
 * rows, of which a shop's have some hundred bytes each.
 */
export const MAX_PARQUET_GROUP_BYTES = 32 * 1024 * 1024;

/** Values of one row group, those that are missing among them. Passing over as many to a checkpoint takes seconds. */
export const MAX_PARQUET_GROUP_VALUES = 32_000_000;

/** Pages of one row group, which take memory of their own: as many as of 1 KiB each. Writers make them of 1 MiB. */
export const MAX_PARQUET_GROUP_PAGES = 32_768;

/** Bytes of the header of a page. Writers leave out of it values of more than 4 KB, the least and the greatest one. */
export const MAX_PARQUET_PAGE_HEADER_BYTES = 1024 * 1024;

/** Columns of a Parquet file, those in nested fields among them. A product and an order have less than fifty. */
export const MAX_PARQUET_COLUMNS = 1_000;

/**
 * Bytes of the footer of a Parquet file, which has about a hundred for each column of each row group: 2,000 groups of
 * 40 columns. It is in memory while its file is read.
 */
export const MAX_PARQUET_FOOTER_BYTES = 8 * 1024 * 1024;

/** Bytes at the end of a Parquet file that are read first. Most footers are among them, so that one read is enough. */
export const PARQUET_TAIL_BYTES = 64 * 1024;

/** Bytes between two columns that are read over rather than asked for anew: writers leave filters and padding there. */
export const MAX_PARQUET_GAP_BYTES = 64 * 1024;

/** Bytes of a decimal number, and digits behind its point: 76 digits, as Arrow has. No amount of money has as many. */
export const MAX_DECIMAL_BYTES = 32;
export const MAX_DECIMAL_SCALE = 76;

/**
 * Rows of a slice of a file. One commit stores their records and the file's progress. Larger slices are not faster
 * (test/bench/README.md).
 */
export const FILE_SLICE_ROWS = 400;

/**
 * Stored bytes that are read for a slice: of records and of tombstones each, plus at most one document. That is as much
 * as one commit takes; rows beyond it come with a later slice. An instance works on four steps at once, each with up to
 * five slices in memory, where a stored byte takes about six: about 200 MB.
 */
export const SLICE_READ_BYTES = COMMIT_BYTES;

/**
 * The smallest slice, in rows, to which a slice in conflict is reduced. Most of the time of a commit does not depend on
 * the number of rows.
 */
export const MIN_FILE_SLICE_ROWS = 25;

/**
 * Rows of one chunk, and about how many bytes of the file. A chunk is two slices, which are prepared together. Three
 * chunks are in memory at once: one is parsed, one is prepared and one is written. A slice of the chunk before may
 * still be there too.
 */
export const FILE_CHUNK_ROWS = 2 * FILE_SLICE_ROWS;
export const FILE_CHUNK_BYTES = 1024 * 1024;

/**
 * How many times longer a chunk without rows may be. It takes no memory, only a commit that records the progress. 64
 * MiB of blank lines are skipped in less than a second.
 */
export const FILE_EMPTY_CHUNK_FACTOR = 64;

/**
 * How long a run that is still running keeps a file from other recurring runs, counted from when it took the file. A
 * step that fails is redelivered for about 16 hours, so after this time no step of the run reads the file any more. The
 * next day's run finds it free.
 */
export const FILE_HOLD_SECONDS = 20 * 3600;

/**
 * How long a download may be silent before it counts as lost. Its step is then redelivered and continues from its
 * checkpoint. The time is far longer than Cloud Storage pauses within a download, and short compared with a step.
 */
export const DOWNLOAD_IDLE_MS = 30_000;

/**
 * Attempts of a download that fails before its first byte, and the wait after the first failure. The wait doubles each
 * time: 3.5 s in all. A short outage of Cloud Storage should not cost a delivery of the step.
 */
export const DOWNLOAD_TRIES = 4;
export const DOWNLOAD_WAIT_MS = 500;

/** Characters of the message with which Cloud Storage refuses a download: it becomes a run's error. */
export const MAX_REFUSAL_LENGTH = 2_000;

/** Bytes of an object's name, as Cloud Storage bounds them. */
export const MAX_OBJECT_NAME_BYTES = 1_024;

/**
 * Objects in one page of planning. Each becomes a document. A page is one step, which others wait for: with 300 objects
 * the transfers of 50 tenants beside one with 10,000 files took 1.8 times as long as alone, with 100 1.5 times.
 */
export const PLAN_PAGE_OBJECTS = 100;

/**
 * Files of a run that it does not read and that are named, in a document for each page of planning: as many as
 * a person looks through. A bucket may hold a hundred thousand files that were read before, and each hourly run skips
 * them all.
 */
export const MAX_NAMED_SKIPPED_FILES = 1_000;

/**
 * Bytes and files of one unit, where files are small. More of them save messages and reads of the run, but a tenant's
 * other lanes may be idle meanwhile, and other tenants wait for the step: so many bytes take a fraction of a second.
 */
export const UNIT_BYTES = 64 * 1024;
export const UNIT_FILES = 100;

/**
 * So many times its own bytes a packed file counts in a unit: text inflates to that. A unit of packed files with as
 * many bytes would be many times the work, and the memory of a step that reads some of them side by side is meant for
 * small ones. A Parquet file has a unit of its own: its row groups are in memory whole.
 */
export const PACKED_FILE_FACTOR = 16;

/**
 * Small files that a step reads side by side: most of their time is that of a few calls, which wait. They may be
 * replaced by large ones meanwhile: sixteen of those in four steps, with rows of 8 MB, took 718 MiB of 1 GiB.
 */
export const UNIT_FILES_AT_ONCE = 4;

/**
 * After so many seconds a step comes again, at the end of the queue. So where all instances are busy, each of their
 * places is free again soon. It costs a message and a few reads.
 */
export const STEP_TURN_SECONDS = 30;

/**
 * How many times as long as the way to its checkpoint a step lasts, up to TRANSFER_STEP_SECONDS. A compressed file is
 * inflated from its start by each step: so that takes a quarter of the time at most.
 */
export const STEP_TO_RESUMPTION = 4;

/** Slices of a file that are stored side by side: more of them would have to wait for records that they share. */
export const SLICES_IN_FLIGHT = 2;

/**
 * How often the progress of a file that is being read is written to its document, at most: the database takes about one
 * write a second to a document. So far behind is what is shown of a run.
 */
export const PROGRESS_WRITE_MS = 1_000;

/**
 * Documents that take turns in recording the progress of a file in between: more than slices are stored in a second, so
 * that each is written less than once in it. At the latencies that Firestore publishes 37 slices are (docs/scale.md).
 */
export const FILE_LEASES = 48;

/**
 * As many of them a file has at first, which cost a file of a few slices little. They become more where slices go round
 * them within a second: until then each is written a few times in it.
 */
export const FIRST_FILE_LEASES = 24;

/** The greatest TRANSFER_TENANT_CONCURRENCY: more than all instances read at once by default. */
export const MAX_TENANT_CONCURRENCY = 100;

/**
 * A worker whose file was taken over by another one checks whether that one is at work: for OVERTAKEN_WATCH_MS, every
 * OVERTAKEN_POLL_MS. The first is far longer than the commits of a few slices take, and short compared with a step.
 */
export const OVERTAKEN_WATCH_MS = 10_000;
export const OVERTAKEN_POLL_MS = 500;

/**
 * How often a step on a file looks whether its run was stopped, in milliseconds: cancelled, or failed by another step.
 * A look is one small read; so long a file may be read on.
 */
export const STOP_POLL_MS = 2_000;

/**
 * Lines that a replay remembers of one file, in a document of at most 1 MiB. Each takes 8 bytes, and as much again in
 * transit. If there are more, the replay reads all lines of the file.
 */
export const MAX_REPLAY_LINES = 25_000;

/**
 * Bad rows of one file that a run reports, and their bytes; further ones are only counted. A replay remembers as many
 * lines, and nobody reads more. A row of a few bytes can have a hundred messages, so without a bound the report of a
 * 1 GiB file could be many times as large as the file.
 */
export const MAX_REPORTED_ROWS = MAX_REPLAY_LINES;
export const MAX_REPORT_BYTES = 16 * 1024 * 1024;

/**
 * Reports in one page of planning a replay, and files or reports that are processed at once. Each report is read. Its
 * file may have to be found in the bucket and becomes a document. A step reads all reports of its last file: in the
 * worst case one for each remembered line, which takes a minute or two.
 */
export const REPLAY_PAGE_REPORTS = 300;
export const REPLAY_READS_AT_ONCE = 16;

/**
 * Objects of a report that one stream reads at once: a report may have one for each bad row, and reading them one after
 * the other would take longer than a stream may. Of each, a piece of 64 KiB is in memory: 16 MB with its rows in all
 * streams of an instance.
 */
export const STREAM_OBJECTS_AT_ONCE = 8;

/**
 * How long one step has the exclusive right to sum the files of a run that ends, and to do what is left to do then.
 * That is long enough for a million files on a slow day, and a short wait if the worker has died.
 */
export const END_CLAIM_SECONDS = 120;

/**
 * How long a run and the documents below it are kept after its end. That is longer than anybody asks what became of a
 * file, and as long as the reports of its bad rows are kept.
 */
export const RUN_RETENTION_SECONDS = 90 * 24 * 3600;

/** The longest run that is provided for. The files of a run expire this much later than its start alone would say. */
export const LONGEST_RUN_SECONDS = 30 * 24 * 3600;

/**
 * How long a preview may take, and how long what it says of records is shown, both from its start: data that is older
 * says little of what a transfer would do now. What it keeps of records expires then.
 */
export const PREVIEW_SECONDS = 24 * 3600;

/**
 * Records that a preview shows, and bytes of each: enough to see what would happen, in an answer of 80 KiB. A step on a
 * file stores at most as many of each of two ranks.
 */
export const MAX_EXAMPLES = 20;
export const MAX_EXAMPLE_BYTES = 4 * 1024;

/**
 * Elements of a list that go, or come, up to which an example is told which ones those are: it has room for about 100.
 * Elements that stay at their place do not count.
 */
export const MAX_COMPARED_ELEMENTS = 250;

/**
 * How long it is remembered that a file was read (D-53), counted from when a run last saw it in its bucket. A run that
 * sees the file extends the time only once less than TAKEN_FILE_REFRESH_SECONDS of it are left: one write per file in
 * 30 days.
 */
export const TAKEN_FILE_RETENTION_SECONDS = 180 * 24 * 3600;
export const TAKEN_FILE_REFRESH_SECONDS = TAKEN_FILE_RETENTION_SECONDS - 30 * 24 * 3600;

/**
 * Documents that one request reads to count the files of running runs. More take seconds; such a run is then shown
 * without counts.
 */
export const MAX_COUNTED_DOCUMENTS = 5_000;

/** The newest runs of a tenant that a list shows: as many as a person reads, and four days of hourly and daily runs. */
export const MAX_LISTED_RUNS = 100;

/**
 * How long after a run's end the notification of its tenant is tried again when the tenant's topic does not answer.
 * Outages of Pub/Sub are shorter, and Pub/Sub delivers the step about twelve times in it. An attempt takes at most
 * CALL_TIMEOUT_MS.
 */
export const NOTIFICATION_RETRY_SECONDS = 3600;

/** Failed runs in a row of a recurring job with which operators are alerted: one or two may pass by themselves. */
export const ALERTING_FAILURES = 3;

/**
 * The newest runs of a job that are read when one has failed. Among them are runs that do not count: running and
 * cancelled ones and replays.
 */
export const FAILURE_LOOK_RUNS = 20;

/**
 * Runs that one command lists, of a tenant or across tenants: those of ten hours of a thousand tenants with hourly
 * transfers. Memory does not grow with it.
 */
export const MAX_RUNS_OF_A_LIST = 10_000;

/**
 * How far back failed runs are looked for to find the recurring transfers that fail, of all tenants: a daily job has
 * run once in it at least, also where its run begins late.
 */
export const FAILING_LOOK_SECONDS = 48 * 3600;

/** Failed runs that are looked at for it: as many as 200 hourly jobs have that fail all the time. */
export const MAX_FAILED_RUNS_LOOKED_AT = 10_000;

/**
 * How long an instance passes over a region that has refused another job, in seconds, and `Retry-After` of a
 * registration when all have. Cloud Scheduler refuses in the same way what is beyond 500 writes a minute: such a region
 * must not count as full for longer. A full one is asked once a minute and instance, which is little of these 500.
 */
export const FULL_REGION_SECONDS = 60;

/**
 * Minutes over which the runs of one full hour are spread. A run's document is written once when its job fires,
 * in the first minute, and four to five times more once it begins. Spread over five minutes, these writes are in no
 * minute more than in the first one, so that more minutes would only make runs later. 10,000 tenants with a daily and
 * an hourly transfer write about 340 a second at midnight. Firestore takes 500 a second at once, and half as much more
 * every five minutes (500/50/5).
 */
export const START_SPREAD_MINUTES = 5;

/** Jobs that are looked at at once; each look is a query and, where the job fails, a call of Cloud Scheduler. */
export const FAILING_LOOKS_AT_ONCE = 16;
