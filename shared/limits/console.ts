/** The bounds of the console. */

/** How long a session lasts, in milliseconds: a working day. */
export const SESSION_MS = 8 * 60 * 60 * 1_000;

/**
 * Requests a minute of all sessions of a key together. A page asks for a handful of things when it is opened,
 * and for one every few seconds while a run is watched: enough for a team that shares a key, and no way around the
 * limit of the key that is worth the trouble.
 */
export const CONSOLE_REQUESTS_PER_MINUTE = 300;

/**
 * Attempts to sign in, a minute, address and instance. A person needs one, and an office behind one address a few. A
 * key cannot be guessed at any rate; this bounds what the attempts cost.
 */
export const SIGN_INS_PER_MINUTE = 20;

/** Bytes of the body that signs in. A key has 44 characters. */
export const MAX_SIGN_IN_BYTES = 1_024;

/**
 * Bodies that sign in and are arriving at once, in an instance; the oldest gives way to a new one. A key comes
 * with its request, so what waits here is hardly a person. It is less than half of the requests that Cloud Run sends an
 * instance of `console` (40, terraform/functions.tf): bodies that never come leave room for everybody else.
 */
export const MAX_SIGN_INS_ARRIVING = 16;

/** Addresses, and minutes of them, whose attempts an instance remembers: about 100 bytes each, 1 to 2 MB in all. */
export const MAX_REMEMBERED_ADDRESSES = 10_000;

/** Bytes of a body that creates or rotates a key: its longest name and organization, escaped, are 1.2 kB. */
export const MAX_KEY_BODY_BYTES = 4_096;

/** Bytes of a body that names dead letters by their ids, which have up to 20 digits: more than a page shows. */
export const MAX_SELECTION_BODY_BYTES = 4_096;

/** Runs, and dead letters, of which the first page of an operator shows more than their number. */
export const MAX_OVERVIEW_RUNS = 10;
export const MAX_SHOWN_DEAD_LETTERS = 10;
