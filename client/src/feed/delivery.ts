/**
 * Sends the elements of a chunk until each is accounted for. A body that is refused as a whole is sent again in halves:
 * it is too large, or one of its elements is beyond what a body may hold, and the halves find out which.
 */
import type { DeletionResult, RejectedElement, UpsertCheck, UpsertResult, Warning } from '../contract';
import { RequestError, ValidationError } from '../errors';
import type { FieldErrors } from '../errors';
import type { Element } from './element';
import { errorsByElement } from './refusal';

export interface Rejection<T> {
  readonly element: Element<T>;
  readonly errors: FieldErrors;
  readonly omittedErrors?: number;
}

/** What one answer says of the elements of its request. */
export interface Outcome<T> {
  readonly elements: readonly Element<T>[];
  readonly accepted: number;
  readonly created: number;
  readonly updated: number;
  readonly rejected: readonly Rejection<T>[];
  /** Elements that are rejected, too, and for which the answer had no room. They are behind those in `rejected`. */
  readonly unnamed: number;
  readonly ignoredFields: readonly string[];
  readonly warnings: readonly Warning[];
}

/** Sends a body and gives the data of the answer. */
export type SendBatch = (json: string) => Promise<BatchData>;

export type BatchData = Partial<UpsertResult & UpsertCheck & DeletionResult> & { readonly count: number };

const NEIGHBOUR = 'Refused with the other elements of its request, because some of them are invalid.';
const WITHOUT_ROOM = 'The element is invalid. The answer had no room for its messages: send it alone to see them.';

/** The outcomes of elements that can be sent, one by one as they are known. */
export async function* outcomesOf<T>(
  elements: readonly Element<T>[],
  send: SendBatch,
  skipsInvalid: boolean,
): AsyncGenerator<Outcome<T>, void, undefined> {
  if (elements.length === 0) return;
  let refusal: RequestError | ValidationError;
  try {
    yield toOutcome(elements, await send(`[${elements.map(({ json }) => json).join(',')}]`));
    return;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    refusal = error;
  }
  const byElement =
    refusal instanceof ValidationError ? errorsByElement(refusal.errors) : new Map<number, FieldErrors>();
  if (byElement.size > 0) {
    const other = { '': [skipsInvalid ? WITHOUT_ROOM : NEIGHBOUR] };
    yield rejectAll(elements, (place) => byElement.get(place) ?? other);
  } else if (elements.length === 1) {
    yield rejectAll(elements, () => (refusal instanceof ValidationError ? refusal.errors : { '': [refusal.message] }));
  } else {
    const middle = Math.ceil(elements.length / 2);
    yield* outcomesOf(elements.slice(0, middle), send, skipsInvalid);
    yield* outcomesOf(elements.slice(middle), send, skipsInvalid);
  }
}

/**
 * The rejections that an outcome does not name. They are found by checks, which store nothing, of what is behind the
 * last one that is named.
 */
export async function* unnamedOf<T>(
  { elements, rejected, unnamed }: Outcome<T>,
  check: SendBatch,
): AsyncGenerator<readonly Rejection<T>[], void, undefined> {
  const last = rejected.at(-1)?.element;
  if (unnamed <= 0 || !last) return;
  const behind = elements.slice(elements.indexOf(last) + 1);
  for await (const outcome of outcomesOf(behind, check, true)) {
    yield outcome.rejected;
    yield* unnamedOf(outcome, check);
  }
}

/** An element that cannot be sent. */
export function unsent<T>(element: Element<T>): Rejection<T>[] {
  return element.problem === undefined ? [] : [{ element, errors: { '': [element.problem] } }];
}

function isRefusal(error: unknown): error is RequestError | ValidationError {
  return error instanceof ValidationError || (error instanceof RequestError && error.status === 413);
}

function toOutcome<T>(elements: readonly Element<T>[], data: BatchData): Outcome<T> {
  const rejected = (data.rejected ?? []).flatMap(({ index, ...why }: RejectedElement) => {
    const element = elements[index];
    return element ? [{ element, ...why }] : [];
  });
  return {
    elements,
    accepted: data.count,
    created: data.created ?? data.wouldCreate ?? 0,
    updated: data.updated ?? data.wouldUpdate ?? 0,
    rejected,
    unnamed: (data.rejectedCount ?? 0) - rejected.length,
    ignoredFields: data.ignoredFields ?? [],
    warnings: (data.warnings ?? []).map((warning) => withIndexes(warning, elements)),
  };
}

function withIndexes<T>(warning: Warning, elements: readonly Element<T>[]): Warning {
  const examples = warning.examples.map((example) => {
    const element = example.index === undefined ? undefined : elements[example.index];
    return element ? { ...example, index: element.index } : example;
  });
  return { ...warning, examples };
}

function rejectAll<T>(elements: readonly Element<T>[], errorsAt: (place: number) => FieldErrors): Outcome<T> {
  const rejected = elements.map((element, place) => ({ element, errors: errorsAt(place) }));
  return { elements, accepted: 0, created: 0, updated: 0, rejected, unnamed: 0, ignoredFields: [], warnings: [] };
}
