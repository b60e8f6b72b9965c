/** Something that is wrong with a project, and what doctor says of it. */
export interface Fault {
  readonly plant: () => unknown;
  readonly area: string;
  readonly what: string;
  readonly remedy: string;
}
