import type { Deadline } from '../deadline';
import type { RaisedMark } from '../deletions/deletion-log';

/**
 * A valid batch with everything thought out that takes nothing stored. Storing it comes after the deletions that were
 * accepted before the mark of its kind was read (D-41), and may be repeated.
 * @throws ValidationFailed before anything is stored; ContentionTimeout
 */
export type PlannedUpsert = (mark: Promise<RaisedMark | undefined>, deadline: Deadline) => Promise<void>;
