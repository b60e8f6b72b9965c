import { useState } from 'preact/hooks';
import type { FoundOrder, FoundProduct, IngestionClient } from '../../../../../client/src/index';
import { NotFoundError } from '../../../../../client/src/index';
import { ChoiceField, TextField } from '../../parts/field';
import { Filters } from '../../parts/filters';
import { Loading } from '../../parts/list-end';
import { Empty, Notice } from '../../parts/notice';
import { Problem } from '../../parts/problem';
import { Time } from '../../parts/time';
import { valueOf } from '../../state/address';
import { useConsole, useLink, useTenant } from '../../state/console-context';
import { go } from '../../state/history';
import { useLoaded } from '../../state/use-loaded';
import { TEXTS } from '../../texts';
import type { StoredRecord } from './record-view';
import { RecordView } from './record-view';

const SEARCHES = ['email', 'customer', 'product', 'order'] as const;
type Search = (typeof SEARCHES)[number];

interface Found {
  readonly records: readonly StoredRecord[];
  readonly hasMore: boolean;
  /** When a deletion was accepted that is not applied yet, of what is or was shown here. */
  readonly deletionAcceptedAt: string | undefined;
}

/** Finds a record by what identifies it, and shows what is stored of it. */
export function RecordsPage() {
  const { door, address } = useConsole();
  const tenantId = useTenant();
  const search = SEARCHES.find((one) => valueOf(address, one) !== undefined);
  const id = search && valueOf(address, search);
  const found = useLoaded(
    search && id !== undefined ? (signal) => find(door.client, tenantId, search, id, signal) : undefined,
    [tenantId, search, id],
  );
  const texts = TEXTS.records;
  return (
    <>
      <SearchForm key={`${search} ${id}`} search={search} id={id} onRepeat={found.reload} />
      {found.isLoading && <Loading />}
      <Problem failure={found.failure} onRetry={found.reload} />
      {search === undefined && <Empty>{texts.introduction}</Empty>}
      {found.value?.records.length === 0 && <Empty>{texts.none}</Empty>}
      {found.value && <PendingDeletion found={found.value} />}
      {found.value?.hasMore && <Notice kind="warning">{texts.hasMore}</Notice>}
      {found.value?.records.map((record, index) => (
        <RecordView key={String(index)} record={record} />
      ))}
    </>
  );
}

/** What is left out by a deletion that is accepted and not applied yet. */
function PendingDeletion({ found: { records, deletionAcceptedAt } }: { readonly found: Found }) {
  if (deletionAcceptedAt === undefined) return null;
  const texts = TEXTS.records.pending;
  return (
    <Notice kind="warning">
      {records.length === 0 ? texts.whole : texts.part} {texts.acceptedAt} <Time at={deletionAcceptedAt} />
    </Notice>
  );
}

interface SearchFormProps {
  /** What the address asks for; undefined: nothing. */
  readonly search: Search | undefined;
  readonly id: string | undefined;
  /** Called when the same is to be found again. */
  readonly onRepeat: () => void;
}

/** It begins with what the address asks for. */
function SearchForm({ search, id, onRepeat }: SearchFormProps) {
  const linkTo = useLink();
  const [by, setBy] = useState<Search>(search ?? 'email');
  const [text, setText] = useState(id ?? '');
  const texts = TEXTS.records;
  return (
    <Filters
      onApply={() => {
        if (text.trim() === id && by === search) onRepeat();
        else go(linkTo('records', undefined, { [by]: text.trim() }));
      }}
    >
      <ChoiceField
        label={texts.by}
        value={by}
        onChange={setBy}
        choices={SEARCHES.map((value) => ({ value, text: texts.searches[value] }))}
      />
      <TextField label={texts.searches[by]} value={text} onChange={setText} isRequired isCode />
      <button type="submit" class="main">
        {texts.find}
      </button>
    </Filters>
  );
}

async function find(
  client: IngestionClient,
  tenantId: string,
  search: Search,
  id: string,
  signal: AbortSignal,
): Promise<Found> {
  switch (search) {
    case 'email':
    case 'customer': {
      const { records, hasMore, deletionAcceptedAt } = await client
        .customers(tenantId)
        .find(search === 'email' ? { Email: id } : { CustomerId: id }, { signal });
      return { records, hasMore: hasMore === true, deletionAcceptedAt };
    }
    case 'product':
      return oneOrNone(client.products(tenantId).find(id, { signal }));
    case 'order':
      return oneOrNone(client.orders(tenantId).find(id, { signal }));
  }
}

/** That there is none is an answer, and no failure. */
async function oneOrNone(found: Promise<FoundProduct | FoundOrder>): Promise<Found> {
  try {
    const { record, deletionAcceptedAt } = await found;
    return { records: [record], hasMore: false, deletionAcceptedAt };
  } catch (error) {
    if (error instanceof NotFoundError)
      return { records: [], hasMore: false, deletionAcceptedAt: error.deletionAcceptedAt };
    throw error;
  }
}
