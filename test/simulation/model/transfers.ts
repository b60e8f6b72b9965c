/**
 * The night's transfers: the jobs of all tenants fire, and `transfer-runner` works through their messages. How long a
 * step takes is drawn from what the service's own code took on a simulated clock (`probe-transfers.ts`). Files that
 * share an instance share its processor.
 */
import type { RecurringTransferKind } from '../../../shared/domain/transfer';
import { FILE_SLICE_ROWS, STEP_TURN_SECONDS } from '../../../shared/limits/transfers';
import type { Random } from '../../../shared/platform/random';
import { oneOf } from '../engine/draws';
import { Histogram } from '../engine/histogram';
import { Rates } from '../engine/rates';
import { SimulatedClock } from '../engine/simulated-clock';
import { Station } from '../engine/station';
import type { DeployedFunction } from '../figures/terraform';
import type { Probe } from './probe-requests';
import type { TransferProbes } from './probe-transfers';
import type { Workload } from './workload';
import { filesOf, firesOf, rowsOfRun } from './workload';

/** How runs are begun and their files handed out. */
export interface HandingOut {
  /** Minutes over which a hash of the tenant spreads the beginnings of runs that are due at one moment; 0: none. */
  readonly spreadMinutes: number;
  /** Files of one tenant that are read at once, at most. */
  readonly filesOfTenant: number;
}

export interface NightOptions extends HandingOut {
  readonly runner: Pick<DeployedFunction, 'maxInstances' | 'concurrency'>;
  /** Milliseconds of the processor for a row. */
  readonly rowMs: number;
  /** Hours from midnight on in which jobs fire. */
  readonly hours: number;
}

export interface Night {
  readonly runs: number;
  readonly messages: number;
  /** From when a run was due to its end. */
  readonly lateness: Histogram;
  /** How long messages waited for a free place. */
  readonly waits: Histogram;
  readonly mostWaiting: number;
  /** Place-milliseconds of all work. */
  readonly busyMs: number;
  readonly rows: Rates;
  /** Writes of runs, whose ids grow with time. */
  readonly runWrites: Rates;
  readonly messageRates: Rates;
}

const KINDS: readonly RecurringTransferKind[] = ['daily', 'hourly'];
const HOUR_MS = 3_600_000;

export function simulateNight(
  workload: Workload,
  probes: TransferProbes,
  options: NightOptions,
  random: Random,
): Night {
  const night = new NightSimulation(probes, options, random);
  for (let tenant = 0; tenant < workload.tenants; tenant += 1) {
    const delayMs = startDelayMs(options.spreadMinutes, random);
    for (const kind of KINDS) night.planRuns(tenant, kind, workload.records[tenant]!, delayMs);
  }
  return night.run();
}

/** How long after the full hour a tenant's runs begin: as `plannedStart` has it, whose hash is drawn here. */
function startDelayMs(spreadMinutes: number, random: Random): number {
  return spreadMinutes === 0 ? 0 : (1 + Math.floor(random.fraction() * spreadMinutes)) * 60_000;
}

/** A run that is under way. */
interface Run {
  readonly tenant: number;
  readonly dueMs: number;
  filesLeft: number;
}

/** The files of one tenant. */
interface Files {
  underWay: number;
  /** Rows of a file, and its run. */
  readonly waiting: (readonly [rows: number, run: Run])[];
}

class NightSimulation {
  private readonly clock = new SimulatedClock();
  private readonly station: Station;
  private readonly lateness = new Histogram();
  private readonly rows = new Rates();
  private readonly runWrites = new Rates();
  private readonly messageRates = new Rates();
  private readonly files = new Map<number, Files>();
  private runs = 0;
  private messages = 0;

  constructor(
    private readonly probes: TransferProbes,
    private readonly options: NightOptions,
    private readonly random: Random,
  ) {
    const { maxInstances, concurrency } = options.runner;
    this.station = new Station(maxInstances * concurrency, this.clock);
  }

  /** Plans the runs of a tenant's job. */
  planRuns(tenant: number, kind: RecurringTransferKind, records: number, delayMs: number): void {
    const { firstMs, timesADay } = firesOf(kind);
    const rows = rowsOfRun(kind, records);
    const times = timesADay === 1 ? 1 : this.options.hours;
    for (let time = 0; time < times; time += 1) {
      const dueMs = firstMs + time * HOUR_MS;
      this.clock.after(dueMs, () => this.start(tenant, rows, dueMs, delayMs));
    }
  }

  run(): Night {
    this.clock.run();
    const { runs, messages, lateness, rows, runWrites, messageRates } = this;
    const { waits, mostWaiting, busyMs } = this.station;
    return { runs, messages, lateness, waits, mostWaiting, busyMs, rows, runWrites, messageRates };
  }

  /** Stores a run, which waits for its minute. */
  private start(tenant: number, rows: number, dueMs: number, delayMs: number): void {
    this.runs += 1;
    this.step(this.probes.trigger, () => {
      const waitMs = dueMs + delayMs - this.clock.nowMs();
      if (waitMs <= 0) this.plan(tenant, rows, dueMs);
      else this.clock.after(waitMs, () => this.begin(tenant, rows, dueMs));
    });
  }

  private begin(tenant: number, rows: number, dueMs: number): void {
    const nowMs = this.clock.nowMs();
    this.runWrites.add(nowMs, nowMs, this.probes.begin.work.runWrites);
    this.plan(tenant, rows, dueMs);
  }

  private plan(tenant: number, rows: number, dueMs: number): void {
    const files = filesOf(rows);
    const run: Run = { tenant, dueMs, filesLeft: files.length };
    this.step(files.length === 0 ? this.probes.emptyPlan : this.probes.filePlan, () => {
      if (files.length === 0) this.end(run);
      this.handOut(
        tenant,
        files.map((file) => [file, run] as const),
      );
    });
  }

  private handOut(tenant: number, files: Files['waiting']): void {
    const ofTenant = this.files.get(tenant) ?? { underWay: 0, waiting: [] };
    this.files.set(tenant, ofTenant);
    ofTenant.waiting.push(...files);
    this.beginFiles(tenant, ofTenant);
  }

  private beginFiles(tenant: number, files: Files): void {
    while (files.underWay < this.options.filesOfTenant) {
      const next = files.waiting.shift();
      if (!next) break;
      files.underWay += 1;
      const [rows, run] = next;
      this.readFile(rows, () => {
        files.underWay -= 1;
        run.filesLeft -= 1;
        if (run.filesLeft === 0) this.end(run);
        this.beginFiles(tenant, files);
      });
    }
    if (files.underWay === 0) this.files.delete(tenant);
  }

  /** Reads a file step by step: after its turn a step hands over to the next one. */
  private readFile(rows: number, done: () => void): void {
    const { file, slice } = this.probes;
    const stepMs = STEP_TURN_SECONDS * 1_000;
    let rowsLeft = 0;
    this.countMessage();
    this.station.arrive(
      () => {
        const slices = Math.ceil(rows / FILE_SLICE_ROWS);
        const waitingMs = oneOf(file.durationsMs, this.random) + (slices - 1) * slice.durationMs;
        const processorMs = rows * this.options.rowMs * this.filesOfInstance();
        const wholeMs = Math.max(waitingMs, processorMs);
        const isCut = wholeMs > stepMs;
        rowsLeft = isCut ? rows - Math.max(1, Math.floor((rows * stepMs) / wholeMs)) : 0;
        const takenMs = isCut ? stepMs : wholeMs;
        const nowMs = this.clock.nowMs();
        this.rows.add(nowMs, nowMs + takenMs, rows - rowsLeft);
        if (!isCut) this.runWrites.add(nowMs + takenMs, nowMs + takenMs, file.work.runWrites);
        return takenMs;
      },
      () => (rowsLeft > 0 ? this.readFile(rowsLeft, done) : done()),
    );
  }

  /** Steps that share the processor of an instance: Cloud Run spreads them evenly. */
  private filesOfInstance(): number {
    return Math.max(1, this.station.busy / this.options.runner.maxInstances);
  }

  private step(probe: Probe, done: () => void): void {
    this.countMessage();
    this.station.arrive(
      () => oneOf(probe.durationsMs, this.random),
      () => {
        const nowMs = this.clock.nowMs();
        this.runWrites.add(nowMs, nowMs, probe.work.runWrites);
        done();
      },
    );
  }

  private countMessage(): void {
    const nowMs = this.clock.nowMs();
    this.messages += 1;
    this.messageRates.add(nowMs, nowMs, 1);
  }

  private end({ dueMs }: Run): void {
    this.lateness.add(this.clock.nowMs() - dueMs);
  }
}
