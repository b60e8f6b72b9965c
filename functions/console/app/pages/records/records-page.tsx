import { useEffect, useState } from 'preact/hooks';
import type { IngestionClient } from '../../../../../client/src/index';
import { NotFoundError } from '../../../../../client/src/index';
import { ChoiceField, TextField } from '../../parts/field';
import { Loading } from '../../parts/list-end';
import { Empty, Notice } from '../../parts/notice';
import { Problem } from '../../parts/problem';
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
}

/** Finds a record by what identifies it, and shows what is stored of it. */
export function RecordsPage() {
  const { door, address } = useConsole();
  const tenantId = useTenant();
  const linkTo = useLink();
  const search = SEARCHES.find((one) => valueOf(address, one) !== undefined);
  const id = search && valueOf(address, search);
  const [by, setBy] = useState<Search>('email');
  const [text, setText] = useState('');
  useEffect(() => {
    setBy(search ?? 'email');
    setText(id ?? '');
  }, [search, id]);
  const found = useLoaded(
    search && id !== undefined ? (signal) => find(door.client, tenantId, search, id, signal) : undefined,
    [tenantId, search, id],
  );
  const texts = TEXTS.records;
  return (
    <>
      <form
        class="filters"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() === id && by === search) found.reload();
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
      </form>
      {found.isLoading && <Loading />}
      <Problem failure={found.failure} onRetry={found.reload} />
      {search === undefined && <Empty>{texts.introduction}</Empty>}
      {found.value?.records.length === 0 && <Empty>{texts.none}</Empty>}
      {found.value?.hasMore && <Notice kind="warning">{texts.hasMore}</Notice>}
      {found.value?.records.map((record, index) => (
        <RecordView key={String(index)} record={record} />
      ))}
    </>
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
      const { records, hasMore } = await client
        .customers(tenantId)
        .find(search === 'email' ? { Email: id } : { CustomerId: id }, { signal });
      return { records, hasMore: hasMore === true };
    }
    case 'product':
      return oneOrNone(client.products(tenantId).get(id, { signal }));
    case 'order':
      return oneOrNone(client.orders(tenantId).get(id, { signal }));
  }
}

/** That there is none is an answer, and no failure. */
async function oneOrNone(record: Promise<StoredRecord>): Promise<Found> {
  try {
    return { records: [await record], hasMore: false };
  } catch (error) {
    if (error instanceof NotFoundError) return { records: [], hasMore: false };
    throw error;
  }
}
