import { useState } from 'preact/hooks';
import { toUtcTime } from '../../format/times';
import { toCount } from '../../format/numbers';
import { Confirm } from '../../parts/dialog';
import { TextField } from '../../parts/field';
import { Filters } from '../../parts/filters';
import { ListEnd } from '../../parts/list-end';
import { Empty, Notice } from '../../parts/notice';
import { Problem } from '../../parts/problem';
import { valueOf } from '../../state/address';
import { useConsole, useLink } from '../../state/console-context';
import { go } from '../../state/history';
import { useLoaded } from '../../state/use-loaded';
import { usePages } from '../../state/use-pages';
import { TEXTS } from '../../texts';
import { listKeys, revokeKey, sumRequests } from './calls';
import type { Key, KeyRequests } from './key';
import { titleOf } from './key';
import { KeyForm } from './key-form';
import { KeyTable } from './key-table';
import { RotationDialog } from './rotation-dialog';
import type { Given } from './shown-once';
import { ShownOnce } from './shown-once';

/** The keys of the viewer's organization, an operator's of all or of one: the specification's panel of tenants. */
export function KeysPage() {
  const { door, session, address } = useConsole();
  const linkTo = useLink();
  const organization = session.operator ? valueOf(address, 'organization') : undefined;
  const [own, setOwn] = useState<Key>();
  const [given, setGiven] = useState<Given>();
  const [rotated, setRotated] = useState<Key>();
  const [revoked, setRevoked] = useState<Key>();
  const pages = usePages((signal) => listKeys(door, organization, setOwn, signal), [organization]);
  const isOfOne = !session.operator || organization !== undefined;
  const requests = useLoaded(isOfOne ? (signal) => sumRequests(door, organization, signal) : undefined, [organization]);
  const mayChange = session.permissions.includes('settings');
  const isForm = mayChange && valueOf(address, 'form') === 'new';
  const hasNone = pages.items.length === 0 && !pages.isLoading && !pages.failure;
  const texts = TEXTS.keys;
  const show = (shown: Given) => {
    setGiven(shown);
    setRotated(undefined);
    pages.reload();
  };
  return (
    <>
      <p>{texts.introduction}</p>
      {!mayChange && (
        <Notice kind="plain">
          <p>{texts.needsSettings}</p>
        </Notice>
      )}
      {session.operator && <OrganizationFilter key={organization} organization={organization} />}
      {mayChange && !isForm && (
        <div class="actions">
          <a class="button" href={linkTo('keys', undefined, { organization, form: 'new' })}>
            {texts.generate}
          </a>
        </div>
      )}
      {given && <ShownOnce given={given} onDone={() => setGiven(undefined)} />}
      {isForm && (
        <KeyForm
          organization={organization}
          own={own}
          onDone={(key, notices) => {
            show({ key, notices });
            go(linkTo('keys', undefined, { organization }));
          }}
          onFailed={pages.reload}
        />
      )}
      {pages.items.length > 0 && (
        <KeyTable
          keys={pages.items}
          requests={requests.value}
          hasOrganizations={!isOfOne}
          onRotate={mayChange ? setRotated : undefined}
          onRevoke={mayChange ? setRevoked : undefined}
        />
      )}
      {hasNone && <Empty>{organization === undefined ? texts.none : texts.noneOf(organization)}</Empty>}
      <ListEnd pages={pages} what={texts.what} />
      <Counted requests={requests.value} />
      <Problem failure={requests.failure} onRetry={requests.reload} />
      {rotated && (
        <RotationDialog
          of={rotated}
          onDone={(key, replaces) => show({ key, replaces, notices: [] })}
          onFailed={pages.reload}
          onClose={() => setRotated(undefined)}
        />
      )}
      {revoked && (
        <Confirm
          title={TEXTS.revocation.title(titleOf(revoked))}
          action={TEXTS.revocation.revoke}
          name={titleOf(revoked)}
          act={async () => {
            await revokeKey(door, revoked);
            pages.reload();
          }}
          onClose={() => setRevoked(undefined)}
        >
          <p>
            {TEXTS.revocation.what} <code>{revoked.keyId}</code>
          </p>
          {revoked.keyId === session.keyId && (
            <Notice kind="warning">
              <p>{TEXTS.revocation.own}</p>
            </Notice>
          )}
        </Confirm>
      )}
    </>
  );
}

/** What the requests of the table are. */
function Counted({ requests }: { readonly requests: KeyRequests | undefined }) {
  if (!requests) return null;
  const texts = TEXTS.keys;
  return (
    <p class="hint">
      {texts.requestsSince(toUtcTime(requests.since))}
      {!requests.isWhole && ` ${texts.requestsInPart(toCount(requests.tenants))}`}
    </p>
  );
}

/** An operator's choice of an organization. It begins with that of the address. */
function OrganizationFilter({ organization }: { readonly organization: string | undefined }) {
  const linkTo = useLink();
  const [text, setText] = useState(organization ?? '');
  const texts = TEXTS.keys;
  return (
    <Filters onApply={() => go(linkTo('keys', undefined, { organization: text.trim() }))}>
      <TextField label={texts.organization} value={text} onChange={setText} />
      <button type="submit">{texts.show}</button>
      {organization !== undefined && <a href={linkTo('keys')}>{texts.all}</a>}
    </Filters>
  );
}
