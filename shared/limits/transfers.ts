/** The bounds of files, runs and reports. */
import { COMMIT_BYTES, MAX_RECORD_BYTES } from './records';

/**
 * Bytes of one record of a file, or of all the rows of one CSV group. What is stored has at most 1 MB
 * (MAX_RECORD_BYTES); as JSON it is at most about six times as long (letters as \u escapes, indentation), so that
 * nothing longer can be stored.
 */
export const MAX_FILE_RECORD_BYTES = 8 * 1024 * 1024;

/**
 * Bytes after which the end of a longer record is not looked for any more: within a record there is no place to go on
 * from, so that it must end within one unit of work. A gigabyte takes some seconds.
 */
export const MAX_FILE_RECORD_SEARCH_BYTES = 1024 ** 3;

/** Bytes of blanks before what a .json file holds: there is no place to go on from, and no export begins with any. */
export const MAX_JSON_LEADING_BLANKS = 1024 * 1024;

/**
 * Rows at the start of a file, none of which can be read, after which the file is given up: it is not what its name
 * says, and an error for each of its rows tells nobody more. They are saved with resume points, about 80 bytes each.
 */
export const MAX_UNREADABLE_ROWS = 500;

/**
 * Values in one record of a JSON file, counted likewise, and cells of all rows of one CSV group. One that fits a stored
 * record has fewer than 130,000, and unknown fields may have some of their own; without a bound 8 MiB of `{},{},…`
 * becomes hundreds of megabytes of memory.
 */
export const MAX_FILE_RECORD_VALUES = 250_000;

/** Bytes and columns of a CSV header row: it is saved with every resume point, in a document of at most 1 MiB. */
export const MAX_CSV_HEADER_BYTES = 32 * 1024;
export const MAX_CSV_COLUMNS = 1_000;

/** Characters of a header row that an error quotes: enough to see how its columns are separated. */
export const MAX_QUOTED_HEADER_LENGTH = 100;

/**
 * Characters of a quoted CSV cell beyond which its doubled marks stay as they are: whatever it means is longer than any
 * record, so that no field takes it.
 */
export const MAX_CSV_UNQUOTED_LENGTH = 2 * MAX_RECORD_BYTES;

/** Characters of an identifier by which CSV rows are grouped, which is saved too; a valid one has at most 100. */
export const MAX_CSV_GROUP_KEY_LENGTH = 500;

/**
 * Bytes of a CSV record's own fields, as JSON, that are remembered across a bad row between its rows: they are saved
 * with resume points, too. Those of a shop have a few hundred; the rest is for long lists of categories.
 */
export const MAX_CSV_OWN_FIELDS_BYTES = 64 * 1024;

/**
 * Bytes of own fields in all parts of one CSV group that bad rows have cut: each part repeats them, so that a hundred
 * kilobytes of file could become hundreds of megabytes of records. A shop's group can be cut some thousand times.
 */
export const MAX_CSV_REPEATED_BYTES = 1024 * 1024;

/** Bytes of blank lines that end a CSV group: within one there is no place to go on from. */
export const MAX_CSV_GROUP_GAP_BYTES = 1024 * 1024;

/**
 * Bytes that one gzip file may inflate to. Going on in such a file means inflating it from its start again; this much
 * takes a few minutes and so still fits one unit of work. A 32 MB gzip bomb gets this far and no further.
 */
export const MAX_INFLATED_BYTES = 32 * 1024 ** 3;

/**
 * Rows of a slice of a file: their records and the file's progress are one commit. Larger ones are not faster
 * (test/bench/README.md).
 */
export const FILE_SLICE_ROWS = 400;

/**
 * Stored bytes that are read for a slice, of records and of tombstones each, but for one document: as many as one
 * commit takes. Rows beyond come with a later slice. Four units of work, which an instance has at once, have up to five
 * slices each in memory, and a stored byte takes about six there: about 200 MB.
 */
export const SLICE_READ_BYTES = COMMIT_BYTES;

/** Rows below which a slice in conflict is not made smaller: most of the time of a commit does not depend on them. */
export const MIN_FILE_SLICE_ROWS = 25;

/**
 * Rows, and about how many bytes of the file, of one chunk: two slices, which are prepared together. Three chunks are
 * in memory at once, the one that is written, the one that is prepared and the one that is parsed, and a slice of the
 * one before.
 */
export const FILE_CHUNK_ROWS = 2 * FILE_SLICE_ROWS;
export const FILE_CHUNK_BYTES = 1024 * 1024;

/**
 * How many times longer a chunk without rows is: it takes no memory, only a commit that records the progress. 64 MiB of
 * blank lines are passed over in less than a second.
 */
export const FILE_EMPTY_CHUNK_FACTOR = 64;

/**
 * How long a run that is still running keeps a file from other recurring runs, from when it took it. A step that fails
 * is delivered for about 16 hours, so that by then nobody reads it any more; and the next day's run finds it free.
 */
export const FILE_HOLD_SECONDS = 20 * 3600;

/**
 * How long a download may be silent before it counts as lost; its step comes again and goes on from its progress. Far
 * longer than Cloud Storage pauses in a download that goes on, and short against a unit of work.
 */
export const DOWNLOAD_IDLE_MS = 30_000;

/**
 * How often a download is asked for that fails before its first byte, and the wait after the first failure, which
 * doubles each time: 3.5 s in all, because a short trouble of Cloud Storage should not cost a delivery of the step.
 */
export const DOWNLOAD_TRIES = 4;
export const DOWNLOAD_WAIT_MS = 500;

/** Characters of the message with which Cloud Storage refuses a download: it becomes a run's error. */
export const MAX_REFUSAL_LENGTH = 2_000;

/** Objects in one page of planning: each becomes a document and a message. */
export const PLAN_PAGE_OBJECTS = 300;

/**
 * How long, and how often, a worker whose file another one went on with looks whether that is at work: far longer than
 * the commits of some slices take, and short against a unit of work.
 */
export const OVERTAKEN_WATCH_MS = 10_000;
export const OVERTAKEN_POLL_MS = 500;

/**
 * Lines that a replay remembers of one file, in a document of their own of at most 1 MiB (8 bytes each, and as much
 * again on its way); beyond, it reads all of them.
 */
export const MAX_REPLAY_LINES = 25_000;

/**
 * Bad rows of one file that a run reports, and their bytes; the rest is counted. A replay remembers as many lines, and
 * nobody reads more. A row of a few bytes can have a hundred messages: without a bound a file of 1 GiB has a report of
 * many times as much.
 */
export const MAX_REPORTED_ROWS = MAX_REPLAY_LINES;
export const MAX_REPORT_BYTES = 16 * 1024 * 1024;

/**
 * Reports in one page of planning a replay, of which each is read, and may be of a file that is looked for in the
 * bucket and becomes a document; and how many files or reports are taken up at once. A step reads all reports of its
 * last file, in the worst case one for each line that is remembered, which takes a minute or two.
 */
export const REPLAY_PAGE_REPORTS = 300;
export const REPLAY_READS_AT_ONCE = 16;

/**
 * How long one worker alone sums the files of a run that ends, unless it ends the run before. Long enough for a million
 * files on a slow day, and short for who waits for the run of a worker that died.
 */
export const SUM_CLAIM_SECONDS = 120;

/**
 * How long a run and what is below it are kept after its end: longer than anybody asks what became of a file, and as
 * long as the reports of its bad rows.
 */
export const RUN_RETENTION_SECONDS = 90 * 24 * 3600;

/** The longest run that is thought of: the files of a run expire so much later than they would by its start. */
export const LONGEST_RUN_SECONDS = 30 * 24 * 3600;

/**
 * How long it is remembered that a file was read (D-53) after a run has last seen it in its bucket; and when, before
 * that, a run that sees it puts the time off: one write for a file in 30 days.
 */
export const TAKEN_FILE_RETENTION_SECONDS = 180 * 24 * 3600;
export const TAKEN_FILE_REFRESH_SECONDS = TAKEN_FILE_RETENTION_SECONDS - 30 * 24 * 3600;

/** Runs of a tenant that one list shows, the newest: what a person reads, and four days of hourly and daily ones. */
export const MAX_LISTED_RUNS = 100;
