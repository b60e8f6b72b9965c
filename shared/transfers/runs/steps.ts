/** The steps of a run: each is one message on the transfers topic, far below the function's time limit. */
import type { Clock } from '../../platform/clock';
import type { DocumentStore } from '../../documents/document-store';
import type { EventPublisher } from '../../events/event-publisher';
import type { Logger } from '../../platform/logger';
import type { Random } from '../../platform/random';
import type { Trace } from '../../platform/trace';
import type { ObjectStorage } from '../object-storage';

/** List one page of one folder, and hand out its files. */
export interface PlanStep {
  readonly step: 'plan';
  readonly runId: string;
  /** Index of the folder in the run's list. */
  readonly folder: number;
  /** Index of the page in the folder. */
  readonly page: number;
  readonly pageToken: string | null;
  /** How many skipped files are named by the pages before; absent: none. */
  readonly named?: number;
  /** How many files the pages before have to read, of all folders; absent: none. */
  readonly files?: number;
}

/** Read the files of a unit, each on from its checkpoint (`units/`). */
export interface UnitStep {
  readonly step: 'unit';
  readonly runId: string;
  /** Which of the tenant's lanes the unit is in. */
  readonly lane: number;
  readonly unitId: string;
  /** Those that are left to read. */
  readonly fileIds: readonly string[];
}

/** A file that a step reads. */
export interface FileOfUnit {
  readonly runId: string;
  readonly unitId: string;
  readonly fileId: string;
}

/** Find the bad rows of some files of an earlier run. The last such step hands out all files. */
export interface ReplayStep {
  readonly step: 'replay';
  /** The run that reads them again. */
  readonly runId: string;
  readonly replayOf: string;
  /** The id of the last report of the step before; null: the first step. */
  readonly after: string | null;
  /** How many files have reports before that; absent: none. */
  readonly files?: number;
}

/** Stands for the planning step of a run, where other steps have the ids of their units. */
export const PLANNING_STEP = 'planning';

/** A step or trigger that can never succeed, because no run can have it. The message is for operators. */
export class ImpossibleStep extends Error {
  override readonly name = 'ImpossibleStep';
}

export interface TransferDependencies {
  readonly store: DocumentStore;
  readonly storage: ObjectStorage;
  readonly publisher: EventPublisher;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly transfersTopic: string;
  readonly reportsBucket: string;
  readonly stepSeconds: number;
  /** Units of one tenant that are under way at once, in all instances together. */
  readonly tenantConcurrency: number;
  /** In which the work is done (`inTrace`), and which a run that it starts has; absent: the run gets a new one. */
  readonly trace?: Trace;
}
