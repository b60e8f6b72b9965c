/**
 * The descriptions of routes: what `openapi.json` says and no code needs. Method, path, permission, messages,
 * parameters and body come from the route itself. No deployed function loads any of this.
 */
import type { HttpProblem } from '../../http/problems';
import type { NamedSchema, Schema } from './schema';

export interface ParameterDescription {
  readonly description: string;
  readonly schema: Schema;
  /** Absent: it may be left out. A parameter of the path cannot. */
  readonly required?: true;
  /** When it is empty or blank, it counts as absent, and white space around it is ignored. */
  readonly allowEmptyValue?: true;
}

/** A rule that no schema tells, and the message of a request that breaks it. Numbers in the message are examples. */
export interface Rule {
  readonly rule: string;
  readonly message: string;
}

/** A request that a test sends as it is, and its answer, to the letter. */
export interface Example {
  readonly summary: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Absent: that of the route. */
  readonly message?: string;
  /** `data` of the answer. */
  readonly data: object;
}

/** A body that is streamed, without an envelope. */
export interface StreamDescription {
  readonly schema: Schema;
  readonly example: string;
}

export interface OperationDescription {
  readonly summary: string;
  /** What it does, what its success means, and whether a repeat is safe. CommonMark. */
  readonly description: string;
  /** Those of the path and the query but `tenantId`. */
  readonly parameters?: Readonly<Record<string, ParameterDescription>>;
  /** `data` of a success: one of these. */
  readonly data: readonly [NamedSchema, ...NamedSchema[]];
  /** Bodies of a success by their media type, beside the envelope. */
  readonly streams?: Readonly<Record<string, StreamDescription>>;
  /** Refusals of its own, beside those of every route. */
  readonly problems?: readonly HttpProblem[];
  readonly rules?: readonly Rule[];
  /** By name. */
  readonly examples: Readonly<Record<string, Example>>;
}

/** All that the document says of a function. */
export interface FunctionDescription<Operation extends string> {
  /** The group of its operations. */
  readonly tag: { readonly name: string; readonly description: string };
  readonly operations: Readonly<Record<Operation, OperationDescription>>;
  /** What its bodies are. */
  readonly bodies: readonly NamedSchema[];
}

/** The tenant of all examples, and the time at which they are sent. */
export const EXAMPLE_TENANT = '11111111-1111-4111-8111-111111111111';
export const EXAMPLE_TIME = '2026-03-01T12:00:30.000Z';
