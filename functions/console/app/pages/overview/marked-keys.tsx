import type { KeysToLookAt } from '../../api/management-answers';
import { toCount } from '../../format/numbers';
import { Empty } from '../../parts/notice';
import { Table } from '../../parts/table';
import { toLink } from '../../state/address';
import { TEXTS } from '../../texts';
import { End, KeyName, LastUse } from '../keys/key-cells';
import { COUNTED_MARKS } from './key-concerns';

/** Keys of all organizations that nobody uses or that end soon, and how many keys were looked at for that. */
export function MarkedKeys({ found }: { readonly found: KeysToLookAt }) {
  const texts = TEXTS.markedKeys;
  const marks = COUNTED_MARKS.filter((mark) => found[mark].count > 0);
  return (
    <>
      {marks.length === 0 && <Empty>{texts.none}</Empty>}
      {marks.map((mark) => {
        const { count, keys } = found[mark];
        return (
          <div key={mark}>
            <h3>{texts.marks[mark]}</h3>
            <Table
              label={texts.tables[mark]}
              rows={keys}
              keyOf={({ keyId }) => keyId}
              columns={[
                { title: TEXTS.keys.name, cell: ({ keyId, name }) => <KeyName keyId={keyId} name={name} /> },
                {
                  title: TEXTS.keys.organization,
                  cell: ({ organizationId }) => (
                    <a href={toLink('keys', undefined, { organization: organizationId })}>{organizationId}</a>
                  ),
                },
                { title: TEXTS.keys.lastUsed, cell: ({ lastUsedAt }) => <LastUse lastUsedAt={lastUsedAt} /> },
                { title: TEXTS.keys.ends, cell: ({ expiresAt }) => <End expiresAt={expiresAt} /> },
              ]}
            />
            {count > keys.length && <p class="hint">{texts.shown(toCount(keys.length), toCount(count))}</p>}
          </div>
        );
      })}
      {found.isMore && <p class="hint">{texts.isMore(toCount(found.looked))}</p>}
    </>
  );
}
