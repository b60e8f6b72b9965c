/** Histories: what they are made of, and how each command changes the service and the model. */
import * as fc from 'fast-check';
import type { RecordKind } from '../../../shared/domain/identity';
import type { Effect, Model, ModelFile } from './model';
import type { CompoundKind, Delivery, PlainWork, Sent, SentCompound, SentCustomer, Sweep, Trouble, Work } from './work';
import type { World } from './world';
import { RedeliverLater } from '../../../shared/events/event-handler';
import { Crash, troubled } from './world';

/** What a history knows beside the service and the model: files, and the times at which one may have been written. */
export interface Known {
  readonly model: Model;
  readonly files: Map<number, ModelFile>;
  readonly moments: { readonly date: Date; readonly time: number }[];
}

type HistoryCommand = fc.AsyncCommand<Known, World>;

/** Notes that everything so far was before this moment, and everything that comes is after it. */
export async function passTime({ model, moments }: Known, { clock }: World): Promise<void> {
  await clock.tick();
  moments.push({ date: new Date(clock.nowMs()), time: model.moment() });
  await clock.tick();
}

/** Delivers everything, what was lost too: at the end nothing accepted is outstanding. */
export async function deliverEverything(known: Known, world: World): Promise<void> {
  world.waiting.push(...world.lost.splice(0).filter(({ file }) => file !== undefined)); // Pub/Sub delivers it again
  // Twice: what the last files leave behind is looked after, too.
  for (let round = 0; round < 2; round += 1) {
    await world.sweep();
    while (world.waiting.length > 0) await deliver(known, world, { do: 'deliver', index: 0, times: 2 }, CALM);
  }
}

const CALM: Trouble = { skewMs: 0 };

/** Effects of what was done while something else was. */
type Effects = readonly Effect[];

/** What a process does step by step. */
interface Own {
  readonly steps: Effects;
  /** What it does before it takes the steps from this one on. */
  readonly ahead: (from: number) => Effects;
}

function ownOf(...steps: Effects): Own {
  return { steps, ahead: () => [] };
}

class WorkCommand implements HistoryCommand {
  constructor(
    private readonly work: Work | Delivery,
    private readonly trouble: Trouble,
    private readonly repeats: boolean,
  ) {}

  check(): boolean {
    return true;
  }

  async run(known: Known, world: World): Promise<void> {
    const outcome = await perform(known, world, this.work, this.trouble);
    // A caller repeats what was not answered; messages come again by themselves.
    if (outcome === 'crashed' && this.repeats && this.work.do !== 'file' && this.work.do !== 'deliver') {
      await perform(known, world, this.work, CALM);
    }
    await passTime(known, world);
  }

  toString(): string {
    return JSON.stringify({ ...this.work, ...this.trouble, repeats: this.repeats });
  }
}

class LoseCommand implements HistoryCommand {
  constructor(private readonly index: number) {}

  check(): boolean {
    return true;
  }

  run(_: Known, { waiting, lost }: World): Promise<void> {
    if (waiting.length > 0) lost.push(...waiting.splice(this.index % waiting.length, 1));
    return Promise.resolve();
  }

  toString(): string {
    return `lose message ${this.index}`;
  }
}

class SweepCommand implements HistoryCommand {
  constructor(private readonly trouble: Trouble) {}

  check(): boolean {
    return true;
  }

  async run(known: Known, world: World): Promise<void> {
    await underTrouble(known, world, this.trouble, ownOf(), (around) => world.sweep(around));
  }

  toString(): string {
    return `sweep ${JSON.stringify(this.trouble)}`;
  }
}

type Outcome = 'answered' | 'crashed';

/** Does the work in the trouble, and tells the model what may have come of it. */
async function perform(known: Known, world: World, work: Work | Delivery, trouble: Trouble): Promise<Outcome> {
  if (work.do === 'deliver') return deliver(known, world, work, trouble);
  if (work.do === 'file') return readFile(known, world, work, trouble);
  return underTrouble(known, world, trouble, ownOf(known.model.effectOf(work)), (around) =>
    world.request(work, trouble.skewMs, around),
  );
}

async function readFile(known: Known, world: World, { sent, age }: Work & { do: 'file' }, trouble: Trouble) {
  const { moments, files } = known;
  const written = moments[moments.length - 1 - (age % moments.length)]!;
  const message = await world.addFile(sent, written.date);
  files.set(message.file!, { number: message.file!, sent, at: written.time });
  return deliver(known, world, { do: 'deliver', index: world.waiting.length - 1, times: 1 }, trouble);
}

async function deliver(known: Known, world: World, { index, times }: Delivery, trouble: Trouble): Promise<Outcome> {
  const { model, files } = known;
  const message = world.waiting[index % Math.max(1, world.waiting.length)];
  if (!message) return 'answered';
  world.waiting.splice(world.waiting.indexOf(message), 1);
  // A deletion has its place in the order since it was accepted: its message changes nothing.
  const file = message.file === undefined ? undefined : files.get(message.file)!;
  const own = file
    ? { steps: model.effectsOfFile(file), ahead: (from: number) => model.effectsAhead(file, from) }
    : ownOf();
  let outcome: Outcome = 'answered';
  for (let time = 0; time < times && outcome === 'answered'; time += 1) {
    const first = time === 0 ? trouble : CALM;
    outcome = await underTrouble(known, world, first, own, (around) => world.deliver(message, first.skewMs, around));
  }
  if (outcome === 'crashed') world.waiting.push(message);
  return outcome;
}

/** Runs something while something else may happen in between and the process may end. */
async function underTrouble(
  known: Known,
  world: World,
  trouble: Trouble,
  own: Own,
  run: (around: ReturnType<typeof troubled>) => Promise<void>,
): Promise<Outcome> {
  const { model } = known;
  let others: Effects = [];
  let done = Promise.resolve();
  let toOrders: (own: Effects, others: Effects) => Effects[] = ordersOf;
  const meanwhile = async () => {
    done = performInBetween(known, world, trouble.meanwhile!.work).then((effects) => void (others = effects));
    // What is done meanwhile may wait for locks of a transaction that only goes on after this.
    // Then it, too, may have been done in parts.
    if ((await world.clock.inTime(done)) === 'late') toOrders = mergesOf;
  };
  let outcome: Outcome = 'answered';
  try {
    await run(troubled(trouble, meanwhile));
  } catch (error) {
    if (!(error instanceof Crash || error instanceof RedeliverLater)) throw error; // neither is acknowledged
    outcome = 'crashed';
  } finally {
    await done;
  }
  model.happened(...sequencesOf(own, others, outcome).flatMap((sequence) => toOrders(sequence, others)));
  return outcome;
}

/**
 * What a process may have done: all of its steps or, without an answer, only the first ones. What comes between the
 * tombstones of rows and the rows may leave both ends open: a row that deletes by two identifiers, and meets its own
 * tombstone of the first one, takes itself for one that was here before.
 */
function sequencesOf({ steps, ahead }: Own, others: Effects, outcome: Outcome): Effects[] {
  if (outcome === 'answered' && others.length === 0) return [steps];
  const counts = outcome === 'crashed' ? [...steps.keys(), steps.length] : [steps.length];
  return counts.flatMap((count) => {
    const done = steps.slice(0, count);
    const withAhead = [...done.keys(), count].flatMap((from) =>
      prefixesOf(ahead(from)).map((before) => [...done.slice(0, from), ...before, ...done.slice(from)]),
    );
    return [done, ...withAhead];
  });
}

/** The beginnings of these effects, without the empty one. */
function prefixesOf(effects: Effects): Effects[] {
  return effects.map((_, last) => effects.slice(0, last + 1));
}

/** The orders in which things may have been done: the first of them before the others, the rest after them. */
function ordersOf(own: Effects, others: Effects): Effects[] {
  if (others.length === 0) return [own];
  return [...own.keys(), own.length].map((before) => [...own.slice(0, before), ...others, ...own.slice(before)]);
}

/** All sequences that hold both, each in its order. */
function mergesOf(one: Effects, other: Effects): Effects[] {
  const [first, ...rest] = one;
  const [otherFirst, ...otherRest] = other;
  if (!first || !otherFirst) return [[...one, ...other]];
  return [
    ...mergesOf(rest, other).map((merged) => [first, ...merged]),
    ...mergesOf(one, otherRest).map((merged) => [otherFirst, ...merged]),
  ];
}

/** Does something calmly and gives its effects, of which the model is told later. */
async function performInBetween(
  { model, files }: Known,
  world: World,
  work: Work | Delivery | Sweep,
): Promise<Effects> {
  if (work.do === 'file') return [];
  if (work.do === 'sweep') {
    await world.sweep();
    return [];
  }
  if (work.do !== 'deliver') {
    const effect = model.effectOf(work);
    await world.request(work, 0);
    return [effect];
  }
  const message = world.waiting[work.index % Math.max(1, world.waiting.length)];
  if (!message) return [];
  world.waiting.splice(world.waiting.indexOf(message), 1);
  await world.deliver(message, 0);
  return message.file === undefined ? [] : model.effectsOfFile(files.get(message.file)!);
}

const EMAILS: readonly [string, ...string[]] = ['a@x.com', 'b@x.com', ' A@X.com'];
const CUSTOMER_IDS = ['1', '2', '1 '];
const HOUR_MS = 3_600_000;

/** More customers than EMAILS tell apart, any of whom may be linked by either identifier. */
const MANY_EMAILS = ['0@x.com', ...Array.from({ length: 5 }, (_, n) => `${n + 1}@x.com`)] as const;
const MANY_CUSTOMER_IDS = Array.from({ length: 6 }, (_, n) => `${n}`);

const customers = customersOf(EMAILS, CUSTOMER_IDS);

function customersOf<Identifier extends string | null>(
  emails: readonly [string, ...Identifier[]],
  customerIds: readonly Identifier[],
): fc.Arbitrary<SentCustomer> {
  return fc
    .record(
      {
        Email: fc.constantFrom(...emails),
        CustomerId: fc.constantFrom(...customerIds),
        Name: fc.constantFrom('x', 'y', null),
        EmailOptin: fc.constantFrom(true, true, false, null),
      },
      { requiredKeys: [] },
    )
    .map((sent) => (sent.Email || sent.CustomerId ? sent : { ...sent, Email: emails[0] }));
}

/** Every field is sent; so few are different that the same is often sent again. */
const wholeCustomers: fc.Arbitrary<SentCustomer> = fc.record({
  Email: fc.constantFrom('a@x.com', 'b@x.com'),
  CustomerId: fc.constantFrom('1', '2'),
  Name: fc.constant('x'),
  EmailOptin: fc.boolean(),
});

const compounds = fc.record(
  {
    id: fc.constantFrom('k', 'm'),
    value: fc.constantFrom('7', '8', null),
    parts: fc.uniqueArray(fc.record({ id: fc.constantFrom('s', 't'), amount: fc.integer({ min: 1, max: 9 }) }), {
      maxLength: 2,
      selector: ({ id }) => id,
    }),
  },
  { requiredKeys: ['id', 'parts'] },
);

function sentOf(
  kinds: readonly RecordKind[],
  most: number,
  rows: SentRows = { customers, compounds },
): fc.Arbitrary<Sent> {
  const size = { minLength: 1, maxLength: most };
  return fc
    .constantFrom(...kinds)
    .chain((kind): fc.Arbitrary<Sent> =>
      kind === 'customers'
        ? fc.record({ kind: fc.constant(kind), records: fc.array(rows.customers, size) })
        : fc.record({ kind: fc.constant(kind), records: fc.array(rows.compounds, size) }),
    );
}

interface SentRows {
  readonly customers: fc.Arbitrary<SentCustomer>;
  readonly compounds: fc.Arbitrary<SentCompound>;
}

/** Rows of which some delete. */
const ROWS: SentRows = {
  customers: withDeletes(customers),
  compounds: fc.oneof(
    { weight: 3, arbitrary: compounds },
    {
      weight: 1,
      arbitrary: fc.record({
        id: fc.constantFrom('k', 'm'),
        parts: fc.constant([]),
        deletes: fc.constantFrom('record' as const, { part: 's' }, { part: 't' }),
      }),
    },
  ),
};

function withDeletes(rows: fc.Arbitrary<SentCustomer>): fc.Arbitrary<SentCustomer> {
  const deleting = rows.map(({ Email, CustomerId }) => {
    return { ...(Email && { Email }), ...(CustomerId && { CustomerId }), deletes: true as const };
  });
  return fc.oneof({ weight: 3, arbitrary: rows }, { weight: 1, arbitrary: deleting });
}

const deleteCustomer = deleteCustomerOf(EMAILS, CUSTOMER_IDS);

function deleteCustomerOf(emails: readonly string[], customerIds: readonly string[]) {
  return fc
    .record({
      do: fc.constant('deleteCustomer' as const),
      email: fc.constantFrom(...emails, null),
      customerId: fc.constantFrom(...customerIds, null, null),
    })
    .map((work) => (work.email === null && work.customerId === null ? { ...work, email: emails[0]! } : work));
}

const deleteByOneAddress = fc.oneof(
  fc.record({
    do: fc.constant('deleteCustomer' as const),
    email: fc.constantFrom(...EMAILS),
    customerId: fc.constant(null),
  }),
  fc.record({
    do: fc.constant('deleteCustomer' as const),
    email: fc.constant(null),
    customerId: fc.constantFrom(...CUSTOMER_IDS),
  }),
);

function requestsOf(kinds: readonly RecordKind[]): fc.Arbitrary<RequestWork> {
  const compoundKinds = kinds.filter((kind): kind is CompoundKind => kind !== 'customers');
  const upsert = fc.record({ do: fc.constant('upsert' as const), sent: sentOf(kinds, 1) });
  if (compoundKinds.length === 0) return fc.oneof(upsert, deleteCustomer);
  const [kind, id, part] = [fc.constantFrom(...compoundKinds), fc.constantFrom('k', 'm'), fc.constantFrom('s', 't')];
  return fc.oneof(
    { weight: 6, arbitrary: upsert },
    { weight: 3, arbitrary: deleteCustomer },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('deleteCompound' as const), kind, id }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('deletePart' as const), kind, id, part }) },
  );
}

type Histories = fc.Arbitrary<Iterable<HistoryCommand>>;
type RequestWork = Exclude<Work, { do: 'file' }>;

/** A history that is not drawn. */
export function historyOf(...works: readonly (readonly [work: Work, trouble?: Trouble])[]): Iterable<HistoryCommand> {
  return works.map(([work, trouble = CALM]) => new WorkCommand(work, trouble, false));
}

/** Histories of records of these kinds, with files of at most so many rows. */
export function histories(kinds: readonly RecordKind[], most = 3): Histories {
  return historiesOf(requestsOf(kinds), { file: filesOf(kinds, most), calls: 4 * most });
}

/** The same with files that nothing disturbs: between many slices more could happen than the model can tell. */
export function calmFileHistories(kinds: readonly RecordKind[], most: number): Histories {
  return historiesOf(requestsOf(kinds), { file: filesOf(kinds, most), areFilesCalm: true });
}

function filesOf(kinds: readonly RecordKind[], most: number): fc.Arbitrary<Work> {
  return fc.record({ do: fc.constant('file' as const), sent: sentOf(kinds, most, ROWS), age: fc.nat(6) });
}

/** Histories of whole customers, and of deletions by one address; of `deletions and files` no customer is upserted. */
export function plainHistories(of: PlainWork): Histories {
  const record = wholeCustomers.map((customer) => ({ kind: 'customers' as const, records: [customer] }));
  const upsert = fc.record({ do: fc.constant('upsert' as const), sent: record });
  const request = fc.oneof(upsert, deleteByOneAddress);
  if (of === 'requests') return historiesOf(request);
  return historiesOf(of === 'deletions and files' ? deleteByOneAddress : request, {
    file: fc.record({ do: fc.constant('file' as const), sent: record, age: fc.nat(6) }),
  });
}

/**
 * Histories of many deletions of one tenant that stay pending: no message comes before the end, so that only upserts
 * and rows apply some of them. Customers are linked by either identifier, and lose one.
 */
export function backlogHistories(): Histories {
  const most = 3;
  const rows = { customers: customersOf([...MANY_EMAILS, null], [...MANY_CUSTOMER_IDS, null]), compounds };
  const upsert = fc.record({ do: fc.constant('upsert' as const), sent: sentOf(['customers'], 1, rows) });
  const file = fc.record({
    do: fc.constant('file' as const),
    sent: sentOf(['customers'], most, { ...rows, customers: withDeletes(rows.customers) }),
    age: fc.nat(6),
  });
  const request = fc.oneof(upsert, deleteCustomerOf(MANY_EMAILS, MANY_CUSTOMER_IDS));
  return historiesOf(request, { file, calls: 4 * most, areMessagesLate: true, mostCommands: 40 });
}

interface HistoryOptions {
  readonly file?: fc.Arbitrary<Work>;
  /** One of the first so many calls of a process may go wrong. */
  readonly calls?: number;
  /** Nothing goes wrong while a file is read for the first time. */
  readonly areFilesCalm?: boolean;
  /** Messages come at the end, unless while something else is done. */
  readonly areMessagesLate?: boolean;
  readonly mostCommands?: number;
}

function historiesOf(
  request: fc.Arbitrary<RequestWork>,
  { file, calls = 12, areFilesCalm = false, areMessagesLate = false, mostCommands = 10 }: HistoryOptions = {},
): Histories {
  const delivery: fc.Arbitrary<Delivery> = fc.record({
    do: fc.constant('deliver' as const),
    index: fc.nat(3),
    times: fc.integer({ min: 1, max: 3 }),
  });
  const sweep: fc.Arbitrary<Sweep> = fc.constant({ do: 'sweep' });
  const call = fc.integer({ min: 1, max: calls });
  const trouble: fc.Arbitrary<Trouble> = fc.record(
    {
      crash: fc.record({ call, when: fc.constantFrom('before' as const, 'after' as const) }),
      meanwhile: fc.record({
        call,
        work: fc.oneof({ weight: 2, arbitrary: request }, delivery, sweep),
        isAnswerLost: fc.boolean(),
      }),
      skewMs: fc.constantFrom(0, -HOUR_MS, HOUR_MS, 90),
    },
    { requiredKeys: ['skewMs'] },
  );
  const calm = fc.record({ skewMs: fc.constantFrom(0, 0, -HOUR_MS, HOUR_MS) });
  // Each trouble multiplies what may have happened.
  const inTrouble = fc.oneof({ weight: areMessagesLate ? 20 : 2, arbitrary: calm }, { weight: 1, arbitrary: trouble });
  const work = fc.oneof(
    { weight: 4, arbitrary: request },
    ...(file ? [{ weight: 2, arbitrary: file }] : []),
    ...(areMessagesLate ? [] : [{ weight: 2, arbitrary: delivery }]),
  );
  const working = fc
    .tuple(work, inTrouble, fc.boolean())
    .map(
      ([drawn, trouble, repeats]) =>
        new WorkCommand(drawn, areFilesCalm && drawn.do === 'file' ? CALM : trouble, repeats),
    );
  const losing = fc.nat(3).map((index) => new LoseCommand(index));
  const sweeping = inTrouble.map((trouble) => new SweepCommand(trouble));
  return fc.commands(areMessagesLate ? [working] : [working, losing, sweeping], {
    maxCommands: mostCommands,
    ...(areMessagesLate && { size: 'max' }),
  });
}
