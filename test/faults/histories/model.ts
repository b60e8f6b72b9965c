/**
 * What must be stored after what was acknowledged. Written from the specification, without the service's code, without
 * clocks: time is the order of acknowledgements. Where an answer was lost, or two things were done at once, more than
 * one end is right, so that the model holds all states that are possible.
 */
import { FILE_SLICE_ROWS } from '../../../shared/limits/transfers';
import type { CompoundKind, Sent, SentCompound, SentCustomer, Work } from './work';

/** A place in the order of acknowledgements. */
type Time = number;

interface Customer {
  readonly fields: Readonly<Record<string, string | boolean>>;
  readonly time: Time;
}

interface Compound {
  readonly value: string | undefined;
  readonly parts: readonly (readonly [id: string, amount: number])[];
  readonly time: Time;
}

interface State {
  readonly customers: ReadonlyMap<string, Customer>;
  readonly compounds: ReadonlyMap<string, Compound>;
  /** When what has an identity was last deleted. */
  readonly deleted: ReadonlyMap<string, Time>;
  /** The same, of deletions that have found customers. */
  readonly removedAt: ReadonlyMap<string, Time>;
  /** Of the first one of two identities, the row of a file that has deleted by it last: its other one and its time. */
  readonly deletedBy: ReadonlyMap<string, string>;
  /** The same of rows that may not have been stored, while the tombstone may be. */
  readonly deletedByAhead: ReadonlySet<string>;
  /** Deletions of parts that orders and products did not have. */
  readonly deletedParts: ReadonlyMap<string, readonly (readonly [part: string, time: Time])[]>;
  /** Slices of files whose rows are stored. */
  readonly slices: ReadonlySet<string>;
}

/** What a file held, and when it was written. */
export interface ModelFile {
  readonly number: number;
  readonly sent: Sent;
  readonly at: Time;
}

export type Priority = 'email' | 'customerid';
export type Effect = (state: State) => State;

/** What `value` is where nothing was sent. */
const DEFAULT_VALUE = { orders: '1', products: undefined } as const;

export class Model {
  private states: State[] = [
    {
      customers: new Map(),
      compounds: new Map(),
      deleted: new Map(),
      removedAt: new Map(),
      deletedBy: new Map(),
      deletedByAhead: new Set(),
      deletedParts: new Map(),
      slices: new Set(),
    },
  ];
  private now: Time = 0;

  constructor(private readonly priority: Priority) {}

  /** A time between what was acknowledged so far and what comes. */
  moment(): Time {
    this.now += 1;
    return this.now;
  }

  /** All of these effects have happened, in one of the orders. */
  happened(...orders: readonly (readonly Effect[])[]): void {
    const all = this.states.flatMap((state) =>
      orders.map((effects) => effects.reduce((before, effect) => effect(before), state)),
    );
    this.states = all.length === 1 ? all : unique(all);
  }

  /** What work does to a state, as of now. */
  effectOf(work: Exclude<Work, { do: 'file' }>): Effect {
    const time = this.moment();
    switch (work.do) {
      case 'upsert':
        return (state) => this.store(state, work.sent, time, 'always');
      case 'deleteCustomer':
        return (state) => this.deleteCustomers(state, work.email, work.customerId, time);
      case 'deleteCompound':
        return (state) => deleteCompound(state, `${work.kind} ${work.id}`, time);
      case 'deletePart':
        return (state) => deletePart(state, `${work.kind} ${work.id}`, work.part, time);
    }
  }

  /** What reading a file does, slice by slice: nothing the second time. */
  effectsOfFile({ number, sent, at }: ModelFile): Effect[] {
    return slicesOf(sent).map((slice, index) => {
      const name = `${number}.${index}`;
      return (state) =>
        state.slices.has(name)
          ? state
          : { ...this.store(state, slice, at, 'unless newer'), slices: new Set([...state.slices, name]) };
    });
  }

  /**
   * What reading a file does before it stores the slices from this one on: it writes the tombstones of customers, up to
   * a row that deletes by a first identifier which a row before it stores, or by identifiers which rows before it
   * delete, or to one before that. Only the very row that has written one looks for it. Where a row has found
   * nobody, rows of exactly its time may be stored behind its tombstones, and the row then finds them.
   */
  effectsAhead({ number, sent, at }: ModelFile, from: number): Effect[] {
    if (sent.kind !== 'customers') return [];
    const effects: Effect[] = [];
    const [stored, deleted] = [new Set<string>(), new Set<string>()];
    for (const [index, record] of [...sent.records.entries()].slice(from)) {
      const identities = this.inPriority(record);
      const [first = '', second] = identities;
      if (record.deletes && (stored.has(first) || identities.every((id) => deleted.has(id)))) break;
      for (const id of identities) (record.deletes ? deleted : stored).add(id);
      if (!record.deletes) continue;
      effects.push((state) => {
        if (state.slices.has(`${number}.${index}`)) return state;
        const { removed, ids } = this.decide(
          state,
          record.Email ?? null,
          record.CustomerId ?? null,
          at,
          'unless newer',
        );
        if (removed.length === 0) {
          const tombstones = new Map(state.deleted);
          for (const id of ids) tombstones.set(id, Math.max(at, tombstones.get(id) ?? 0));
          return { ...state, deleted: tombstones };
        }
        const removedAt = new Map(state.removedAt);
        for (const id of ids) removedAt.set(id, Math.max(at, removedAt.get(id) ?? 0));
        const isByFirst = second !== undefined && ids[0] === first;
        const deletedBy = isByFirst ? [`${first} ${second} ${at}`] : [];
        return { ...state, removedAt, deletedByAhead: new Set([...state.deletedByAhead, ...deletedBy]) };
      });
    }
    return effects;
  }

  /** All that may be stored now, in the form of `toText`. */
  possible(): string[] {
    return this.states.map(({ customers, compounds }) =>
      toText(
        [...customers.values()].map(({ fields }) => fields),
        [...compounds].map(([name, { value, parts }]) => [name, value, parts]),
      ),
    );
  }

  private store(state: State, sent: Sent, time: Time, when: 'always' | 'unless newer'): State {
    if (sent.kind === 'customers') {
      return sent.records.reduce((before, record) => {
        if (!record.deletes) return this.storeCustomer(before, record, time, when);
        return this.deleteCustomers(before, record.Email ?? null, record.CustomerId ?? null, time, when);
      }, state);
    }
    const { kind } = sent;
    return sent.records.reduce((before, record) => {
      const name = `${kind} ${record.id}`;
      if (record.deletes === undefined) return storeCompound(before, kind, record, time, when);
      const newest = before.compounds.get(name)?.time ?? before.deleted.get(name) ?? 0;
      if (newest > time) return before;
      if (record.deletes === 'record') return deleteCompound(before, name, time);
      return deletePart(before, name, record.deletes.part, time);
    }, state);
  }

  private storeCustomer(state: State, sent: SentCustomer, time: Time, when: 'always' | 'unless newer'): State {
    const key = this.keyOf(sent);
    const stored = state.customers.get(key);
    const newest = Math.max(stored?.time ?? 0, ...[key, ...identitiesOf(sent)].map((id) => state.deleted.get(id) ?? 0));
    if (when === 'unless newer' && time < newest) return state;
    const fields: Record<string, string | boolean> = { EmailOptin: false, ...stored?.fields };
    for (const [name, value] of Object.entries(sent) as [string, string | boolean | null][]) {
      if (value !== null) fields[name] = value;
      else if (name === 'EmailOptin') fields[name] = false;
      else Reflect.deleteProperty(fields, name);
    }
    return { ...state, customers: new Map(state.customers).set(key, { fields, time }) };
  }

  private deleteCustomers(
    state: State,
    email: string | null,
    customerId: string | null,
    time: Time,
    when: 'always' | 'unless newer' = 'always',
  ): State {
    const { removed, ids } = this.decide(state, email, customerId, time, when);
    const customers = new Map(state.customers);
    for (const key of removed) customers.delete(key);
    const deleted = new Map(state.deleted);
    for (const id of [...removed, ...ids]) deleted.set(id, Math.max(time, deleted.get(id) ?? 0));
    const removedAt = new Map(state.removedAt);
    const found = removed.length > 0 ? [...removed, ...ids] : [];
    for (const id of found) removedAt.set(id, Math.max(time, removedAt.get(id) ?? 0));
    const deletedBy = new Map(state.deletedBy);
    const [first = '', second] = this.inPriority({ Email: email, CustomerId: customerId });
    if (when === 'unless newer' && second !== undefined && removed.length > 0 && ids[0] === first) {
      deletedBy.set(first, `${second} ${time}`);
    }
    return { ...state, customers, deleted, removedAt, deletedBy };
  }

  /** Whom a deletion removes, and the identities of which it says so. */
  private decide(
    state: State,
    email: string | null,
    customerId: string | null,
    time: Time,
    when: 'always' | 'unless newer',
  ): { readonly removed: readonly string[]; readonly ids: readonly string[] } {
    const nothing = { removed: [], ids: [] };
    const addresses = this.inPriority({ Email: email, CustomerId: customerId });
    const matching = (address: string) =>
      [...state.customers].filter(([, { fields }]) => identitiesOf(fields).includes(address)).map(([key]) => key);
    const found = addresses.find((address) => matching(address).length > 0);
    const [first = '', second] = addresses;
    if (when === 'unless newer' && found !== first && second !== undefined) {
      if (this.wasRemovedLater(state, first, time) || this.wasHere(state, first, second, time)) return nothing;
    }
    if (found === undefined) return { removed: [], ids: addresses };
    const isOlder = (key: string) => when === 'always' || (state.customers.get(key)?.time ?? 0) <= time;
    const removed = matching(found).filter(isOlder);
    return removed.length === 0 ? nothing : { removed, ids: [found] };
  }

  /** Whether a customer with this identity was deleted later: a row with another one, too, meant him. */
  private wasRemovedLater(state: State, first: string, time: Time): boolean {
    return [first, `by ${first}`, `only ${first}`].some((id) => (state.removedAt.get(id) ?? 0) > time);
  }

  /** Whether a row of these identities was here before, and deleted by the first one. */
  private wasHere(state: State, first: string, second: string, time: Time): boolean {
    return state.deletedBy.get(first) === `${second} ${time}` || state.deletedByAhead.has(`${first} ${second} ${time}`);
  }

  /** The identities of a customer, the one with priority first. */
  private inPriority(sent: { readonly Email?: unknown; readonly CustomerId?: unknown }): string[] {
    const identities = identitiesOf(sent);
    return this.priority === 'email' ? identities : identities.reverse();
  }

  private keyOf(sent: SentCustomer): string {
    const identities = identitiesOf(sent);
    const [first, only] =
      this.priority === 'email' ? (['email', 'customerid'] as const) : (['customerid', 'email'] as const);
    const priority = identities.find((identity) => identity.startsWith(`${first} `));
    return priority === undefined ? `only ${identities.find((id) => id.startsWith(only)) ?? ''}` : `by ${priority}`;
  }
}

/** What is stored together; of customers each row for itself: others may come between while the flag is raised. */
function slicesOf({ kind, records }: Sent): Sent[] {
  const slices: Sent[] = [];
  const rows = kind === 'customers' ? 1 : FILE_SLICE_ROWS;
  for (let start = 0; start < records.length; start += rows) {
    slices.push({ kind, records: records.slice(start, start + rows) } as Sent);
  }
  return slices;
}

/** What is stored, as a text that two equal databases share. */
export function toText(customers: readonly object[], compounds: readonly (readonly unknown[])[]): string {
  const sorted = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value)).sort();
  const inOrder = customers.map((fields) => Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)));
  // The order of parts says nothing: a write that is repeated after another one's may find the parts in their order.
  const inPartsOrder = compounds.map(([name, value, parts]) => [name, value, [...(parts as [string][])].sort(byId)]);
  return [...sorted(inOrder), ...sorted(inPartsOrder)].join('\n');
}

function byId([a]: readonly [string, ...unknown[]], [b]: readonly [string, ...unknown[]]): number {
  return a < b ? -1 : 1;
}

function identitiesOf(sent: { Email?: unknown; CustomerId?: unknown }): string[] {
  const { Email, CustomerId } = sent;
  return [
    ...(typeof Email === 'string' ? [`email ${Email.trim().toLowerCase()}`] : []),
    ...(typeof CustomerId === 'string' ? [`customerid ${CustomerId.trim()}`] : []),
  ];
}

function storeCompound(
  state: State,
  kind: CompoundKind,
  { id, value, parts }: SentCompound,
  time: Time,
  when: 'always' | 'unless newer',
): State {
  const name = `${kind} ${id}`;
  const stored = state.compounds.get(name);
  if (when === 'unless newer' && time < Math.max(stored?.time ?? 0, state.deleted.get(name) ?? 0)) return state;
  // A row comes without what was deleted of its record since the file was written.
  const deletions = when === 'unless newer' ? (state.deletedParts.get(name) ?? []) : [];
  const newer = new Map(deletions.filter(([, deletedAt]) => deletedAt > time));
  const merged = new Map(stored?.parts);
  for (const part of parts) if (!newer.has(part.id)) merged.set(part.id, part.amount);
  const kept = stored ? stored.value : DEFAULT_VALUE[kind];
  const compound = {
    value: value === undefined ? kept : (value ?? DEFAULT_VALUE[kind]),
    parts: [...merged],
    time,
  };
  return { ...state, compounds: new Map(state.compounds).set(name, compound) };
}

function deleteCompound(state: State, name: string, time: Time): State {
  const compounds = new Map(state.compounds);
  compounds.delete(name);
  return {
    ...state,
    compounds,
    deleted: new Map(state.deleted).set(name, Math.max(time, state.deleted.get(name) ?? 0)),
  };
}

/** A record that had the part is as new as the deletion; otherwise the deletion of the part alone is remembered. */
function deletePart(state: State, name: string, part: string, time: Time): State {
  const stored = state.compounds.get(name);
  if (!stored?.parts.some(([id]) => id === part)) {
    const deletions = [...(state.deletedParts.get(name) ?? []), [part, time] as const];
    return { ...state, deletedParts: new Map(state.deletedParts).set(name, deletions) };
  }
  const compound = { ...stored, parts: stored.parts.filter(([id]) => id !== part), time };
  return { ...state, compounds: new Map(state.compounds).set(name, compound) };
}

function unique(states: readonly State[]): State[] {
  const byText = new Map(
    states.map((state) => [
      JSON.stringify([
        [...state.customers],
        [...state.compounds],
        [...state.deleted],
        [...state.removedAt],
        [...state.deletedBy],
        [...state.deletedByAhead].sort(),
        [...state.deletedParts],
        [...state.slices],
      ]),
      state,
    ]),
  );
  return [...byText.values()];
}
