/**
 * What an accepted batch, or a run, should be warned of: each code with how many it concerns and some examples.
 * Warnings hold indexes, lines, names of fields, objects and folders, and no values of records.
 */
import { MAX_WARNING_EXAMPLES } from '../limits';

const MESSAGES = {
  emailMissing:
    'These customers came without an Email, by which this tenant identifies customers. They are stored by their ' +
    'CustomerId alone, and change no customer who has an Email.',
  customerIdMissing:
    'These customers came without a CustomerId, by which this tenant identifies customers. They are stored by ' +
    'their Email alone, and change no customer who has a CustomerId.',
  consentNotApplied:
    'These customers came with a consent, and without the identifier by which this tenant identifies customers. A ' +
    'stored customer has the same other identifier, and keeps the consents that are stored: send Email and CustomerId ' +
    'together to reach that customer.',
  fieldCase:
    'These fields are ignored, because upper and lower case matter in names of fields. Send them by the expected names.',
  itemsDropped:
    'These orders have fields of items beside their own, which are ignored. Columns of items are named ' +
    'OrderItems.<Field>; in JSON items are the elements of OrderItems.',
  variantsDropped:
    'These products have fields of variants beside their own, which are ignored. Columns of variants are named ' +
    'ProductVariants.<Field>; in JSON variants are the elements of ProductVariants.',
  folderEmpty:
    'Nothing was found in these folders. A folder path is what names of objects begin with; upper and lower case matter.',
  unknownKind:
    'These files are not read, because neither their names nor those of their folders begin with customers, products or ' +
    'orders.',
  unknownFormat:
    'These files are not read, because of their format. Names end in .csv, .json, .jsonl, .ndjson or .avro, and then in ' +
    '.gz or .zip where the file is compressed, or in .parquet.',
  uploadMissed:
    'The daily look through the folders has found these files, of whose upload Cloud Storage had not told. They are read ' +
    'now. If they are many, look at the notification of the bucket.',
  fileEmpty: 'These files have 0 bytes.',
  fileWithoutRows: 'These files have no row, at most a header.',
  noFileUsed: 'The run has found files, and could read none of them because of their names.',
} as const;

/** Where customers are missed who can be reached. */
const REACHABLE =
  ' For some of them there is a stored customer who has both: send Email and CustomerId together to reach that customer.';

export type WarningCode = keyof typeof MESSAGES;
export const WARNING_CODES = Object.keys(MESSAGES) as readonly WarningCode[];

/** Where something to warn of was met. */
export interface WarningExample {
  /** The index of an element in the batch as it was sent. */
  readonly index?: number;
  readonly object?: string;
  /** The line of a row; in an array its position, from 1. */
  readonly line?: number;
  readonly folder?: string;
  /** The name of a field as it was sent, and the one to send. */
  readonly field?: string;
  readonly expected?: string;
}

interface Warned {
  /** How many elements, rows, files or folders. */
  readonly count: number;
  /** The first ones, at most MAX_WARNING_EXAMPLES; of one field, the first. */
  readonly examples: readonly WarningExample[];
  /** Stored customers were missed who can be reached; absent: none that is known of. */
  readonly isReachable?: true;
}

/** Absent: nothing to warn of by that code. */
export type Warnings = Readonly<Partial<Record<WarningCode, Warned>>>;

export const NO_WARNINGS: Warnings = {};

/** One more of a code, with the examples of it. */
export function warn(
  warnings: Warnings,
  code: WarningCode,
  examples: readonly WarningExample[],
  isReachable = false,
): Warnings {
  return addWarnings(warnings, { [code]: { count: 1, examples, ...(isReachable && { isReachable }) } });
}

export function addWarnings(a: Warnings, b: Warnings): Warnings {
  const codes = Object.keys(b) as WarningCode[];
  return { ...a, ...Object.fromEntries(codes.map((code) => [code, sumOf(a[code], b[code])])) };
}

function sumOf(a: Warned = NONE, b: Warned = NONE): Warned {
  const examples = [...a.examples];
  for (const example of b.examples) {
    if (examples.length >= MAX_WARNING_EXAMPLES) break;
    const isKnown = example.field !== undefined && examples.some(({ field }) => field === example.field);
    if (!isKnown) examples.push(example);
  }
  const isReachable = a.isReachable ?? b.isReachable;
  return { count: a.count + b.count, examples, ...(isReachable && { isReachable }) };
}

const NONE: Warned = { count: 0, examples: [] };

/** The same warnings, with more of where their examples are. */
export function withPlace(warnings: Warnings, place: Pick<WarningExample, 'object'>): Warnings {
  const placed = Object.entries<Warned>(warnings).map(([code, warned]) => {
    return [code, { ...warned, examples: warned.examples.map((example) => ({ ...place, ...example })) }];
  });
  return Object.fromEntries(placed) as Warnings;
}

/** A warning as it is shown. */
export interface ShownWarning {
  readonly code: WarningCode;
  readonly message: string;
  readonly count: number;
  readonly examples: readonly WarningExample[];
}

/** The warnings as they are shown, in the order of WARNING_CODES. */
export function toShownWarnings(warnings: Warnings): ShownWarning[] {
  return WARNING_CODES.flatMap((code) => {
    const warned = warnings[code];
    if (!warned) return [];
    const { count, examples, isReachable } = warned;
    return [{ code, message: MESSAGES[code] + (isReachable ? REACHABLE : ''), count, examples }];
  });
}
