import type { ConsentChanges, ConsentsChanges, RecordChanges, Run } from '../../../../../client/src/index';
import { toCount } from '../../format/numbers';
import { Table } from '../../parts/table';
import { TEXTS } from '../../texts';

type Consent = readonly [keyof ConsentsChanges, ConsentChanges];

/** What a run has changed, or a preview would: the consents first, because a wrong one harms most. */
export function RunChanges({ run: { Changes, Kind } }: { readonly run: Run }) {
  const texts = TEXTS.changes;
  const isPreview = Kind === 'preview';
  const title = isPreview ? texts.wouldChange : texts.changed;
  if (!Changes) return <p class="empty">{isPreview ? texts.noPreview : texts.none}</p>;
  const consents = Object.entries(Changes.Customers.Consents) as Consent[];
  const records: (readonly [string, RecordChanges])[] = [
    [texts.customers, Changes.Customers],
    [texts.products, Changes.Products],
    [texts.orders, Changes.Orders],
  ];
  return (
    <section aria-labelledby="changes">
      <h2 id="changes">{title}</h2>
      <div class="columns">
        <Table<Consent>
          label={texts.consents}
          rows={consents}
          keyOf={([name]) => name}
          columns={[
            { title: texts.consent, cell: ([name]) => TEXTS.consents[name] },
            { title: texts.granted, isNumber: true, cell: ([, { Granted }]) => toCount(Granted) },
            { title: texts.withdrawn, isNumber: true, cell: ([, { Withdrawn }]) => toCount(Withdrawn) },
            { title: texts.keptWithdrawn, isNumber: true, cell: ([, { KeptWithdrawn }]) => toCount(KeptWithdrawn) },
            { title: texts.erased, isNumber: true, cell: ([, { Erased }]) => toCount(Erased) },
          ]}
        />
        <Table<readonly [string, RecordChanges]>
          label={texts.records}
          rows={records}
          keyOf={([name]) => name}
          columns={[
            { title: texts.records, cell: ([name]) => name },
            { title: texts.created, isNumber: true, cell: ([, { Created }]) => toCount(Created) },
            { title: texts.updated, isNumber: true, cell: ([, { Updated }]) => toCount(Updated) },
            { title: texts.unchanged, isNumber: true, cell: ([, { Unchanged }]) => toCount(Unchanged) },
            { title: texts.deleted, isNumber: true, cell: ([, { Deleted }]) => toCount(Deleted) },
          ]}
        />
      </div>
    </section>
  );
}
