import type { ConsentsChanges, StoredCustomer, StoredOrder, StoredProduct } from '../../../../../client/src/index';
import { Facts } from '../../parts/facts';
import { Table } from '../../parts/table';
import { Time } from '../../parts/time';
import { Value } from '../../parts/value';
import { TEXTS } from '../../texts';

export type StoredRecord = StoredCustomer | StoredProduct | StoredOrder;

type Fields = Readonly<Record<string, unknown>>;

const CONSENTS = Object.keys(TEXTS.consents) as (keyof ConsentsChanges)[];

/** The fields that list what a record consists of. */
const PARTS = ['ProductVariants', 'OrderItems'];

/** A record as it is stored: since when it is true, its fields, and its variants or items. */
export function RecordView({ record }: { readonly record: StoredRecord }) {
  const { asOf, updatedAt, ...fields } = record;
  const lists = Object.entries(fields).filter(([field]) => PARTS.includes(field)) as [string, Fields[]][];
  const others = Object.entries(fields).filter(([field]) => !PARTS.includes(field) && !isConsent(field));
  const name = nameOf(record);
  const texts = TEXTS.records;
  return (
    <section class="card" aria-label={name}>
      <h2>{name}</h2>
      <Facts
        facts={[
          { name: texts.asOf, value: <Time at={asOf} /> },
          { name: texts.updatedAt, value: <Time at={updatedAt} /> },
        ]}
      />
      {!('ProductId' in record || 'OrderId' in record) && <Consents customer={record} />}
      <Table<[string, unknown]>
        label={texts.fieldsOf(name)}
        rows={others}
        keyOf={([field]) => field}
        columns={[
          { title: texts.field, cell: ([field]) => field },
          { title: texts.value, cell: ([, value]) => <Value value={value} /> },
        ]}
      />
      {lists.map(([field, parts]) => (
        <Parts key={field} title={field} parts={parts} />
      ))}
    </section>
  );
}

/** A consent that was never said is none. */
function Consents({ customer }: { readonly customer: StoredCustomer }) {
  const texts = TEXTS.records;
  return (
    <ul class="consents" aria-label={texts.consents}>
      {CONSENTS.map((consent) => (
        <li key={consent} class={customer[consent] === true ? 'yes' : 'no'}>
          {TEXTS.consents[consent]} <strong>{customer[consent] === true ? TEXTS.value.yes : TEXTS.value.no}</strong>
          {customer[consent] === undefined && <span class="soft"> {texts.neverSaid}</span>}
        </li>
      ))}
    </ul>
  );
}

/** Variants or items, one a row; a column for each field that one of them has. */
function Parts({ title, parts }: { readonly title: string; readonly parts: readonly Fields[] }) {
  if (parts.length === 0) return <p class="empty">{TEXTS.records.noParts(title)}</p>;
  const names = [...new Set(parts.flatMap((part) => Object.keys(part)))];
  return (
    <>
      <h3>{title}</h3>
      <Table<Fields>
        label={title}
        rows={parts}
        keyOf={(_, index) => String(index)}
        columns={names.map((name) => ({
          title: name,
          isNumber: parts.some((part) => typeof part[name] === 'number'),
          cell: (part) => <Value value={part[name]} />,
        }))}
      />
    </>
  );
}

function isConsent(field: string): boolean {
  return CONSENTS.some((consent) => consent === field);
}

function nameOf(record: StoredRecord): string {
  if ('OrderId' in record) return TEXTS.records.order(record.OrderId);
  if ('ProductId' in record) return TEXTS.records.product(record.ProductId);
  return TEXTS.records.customer(record.Email ?? record.CustomerId ?? '');
}
