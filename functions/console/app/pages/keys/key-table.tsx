import type { Mark } from '../../../../../shared/domain/key-marks';
import { marksOf, works } from '../../../../../shared/domain/key-marks';
import { systemClock } from '../../../../../shared/platform/clock';
import { toCount } from '../../format/numbers';
import type { Column } from '../../parts/table';
import { RowButton } from '../../parts/row-button';
import { Table } from '../../parts/table';
import { useConsole, useLink } from '../../state/console-context';
import { TEXTS } from '../../texts';
import type { Key, KeyRequests } from './key';
import { titleOf } from './key';
import { End, KeyName, LastUse } from './key-cells';

interface Props {
  readonly keys: readonly Key[];
  /** Undefined: they are not known, or not yet. */
  readonly requests: KeyRequests | undefined;
  readonly hasOrganizations: boolean;
  /** Undefined: the viewer may not. */
  readonly onRotate: ((key: Key) => void) | undefined;
  readonly onRevoke: ((key: Key) => void) | undefined;
}

export function KeyTable({ keys, requests, hasOrganizations, onRotate, onRevoke }: Props) {
  const { session } = useConsole();
  const linkTo = useLink();
  const texts = TEXTS.keys;
  const nowMs = systemClock.nowMs();
  const counts = requests && new Map(requests.keys.map((one) => [one.keyId, one.requests]));
  const columns: readonly (Column<Key> | false | undefined)[] = [
    {
      title: texts.name,
      cell: ({ keyId, name }) => (
        <>
          <KeyName keyId={keyId} name={name} /> {keyId === session.keyId && <span class="badge busy">{texts.own}</span>}
        </>
      ),
    },
    hasOrganizations && {
      title: texts.organization,
      cell: ({ organizationId }) => (
        <a href={linkTo('keys', undefined, { organization: organizationId })}>{organizationId}</a>
      ),
    },
    { title: texts.state, cell: (key) => <Marks marks={marksOf(key, nowMs)} /> },
    { title: texts.permissions, cell: ({ permissions }) => permissions.join(', ') },
    { title: texts.limit, isNumber: true, cell: ({ limit }) => toCount(limit) },
    counts && {
      title: texts.requests,
      isNumber: true,
      cell: ({ keyId }) => {
        const count = toCount(counts.get(keyId) ?? 0);
        return requests.isWhole ? count : texts.atLeast(count);
      },
    },
    { title: texts.lastUsed, cell: ({ lastUsedAt }) => <LastUse lastUsedAt={lastUsedAt} /> },
    { title: texts.ends, cell: ({ expiresAt }) => <End expiresAt={expiresAt} /> },
    onRotate &&
      onRevoke && {
        title: texts.actions,
        cell: (key) =>
          works(marksOf(key, nowMs)) && (
            <span class="row-actions">
              <RowButton text={texts.rotate} of={titleOf(key)} onClick={() => onRotate(key)} />
              <RowButton text={texts.revoke} of={titleOf(key)} onClick={() => onRevoke(key)} />
            </span>
          ),
      },
  ];
  return (
    <Table
      label={texts.table}
      rows={keys}
      keyOf={({ keyId }) => keyId}
      columns={columns.filter((column) => typeof column === 'object')}
    />
  );
}

const LOOKS = { valid: 'good', unused: 'warning', endsSoon: 'warning', ended: 'plain', revoked: 'plain' } as const;

function Marks({ marks }: { readonly marks: readonly Mark[] }) {
  return (
    <>
      {marks.map((mark) => (
        <span key={mark} class={`badge ${LOOKS[mark]}`}>
          {TEXTS.keys.marks[mark]}
        </span>
      ))}
    </>
  );
}
