import { useState } from 'preact/hooks';
import { Notice } from '../../parts/notice';
import { Loading } from '../../parts/list-end';
import { Problem } from '../../parts/problem';
import { valueOf } from '../../state/address';
import { useConsole, useLink, useTenant } from '../../state/console-context';
import { go } from '../../state/history';
import { useLoaded } from '../../state/use-loaded';
import { TEXTS } from '../../texts';
import type { Access } from './access';
import { AccessNotice } from './access';
import { formOf, KINDS } from './registration';
import type { RegistrationKind } from './registration';
import { RegistrationForm } from './registration-form';
import { TransferCard } from './transfer-card';

/** The transfers of a tenant: at most one of each kind that recurs, and those that run once. */
export function TransfersPage() {
  const { door, session, address } = useConsole();
  const tenantId = useTenant();
  const linkTo = useLink();
  const [access, setAccess] = useState<Access>();
  const list = useLoaded((signal) => door.client.transfers(tenantId).list({ signal }), [tenantId]);
  const formKind = KINDS.find((kind) => kind === valueOf(address, 'form'));
  const transferOf = (kind: RegistrationKind) => list.value?.find(({ Kind }) => Kind === kind);
  const before = formKind && transferOf(formKind);
  const texts = TEXTS.transfers;
  if (!list.value) return list.failure ? <Problem failure={list.failure} onRetry={list.reload} /> : <Loading />;
  return (
    <>
      <p>{texts.introduction}</p>
      {access && <AccessNotice access={access} />}
      {formKind && (
        <RegistrationForm
          key={formKind}
          kind={formKind}
          before={before && formOf(before)}
          onDone={(result) => {
            setAccess(result);
            list.reload();
            go(linkTo('transfers'));
          }}
        />
      )}
      {KINDS.map((kind) => {
        const transfer = transferOf(kind);
        if (transfer) return <TransferCard key={kind} transfer={transfer} onChanged={list.reload} />;
        return (
          <section key={kind} class="card" aria-labelledby={kind}>
            <h2 id={kind}>{texts.kinds[kind]}</h2>
            <p>
              {texts.none[kind]} <a href={linkTo('transfers', undefined, { form: kind })}>{texts.register[kind]}</a>
            </p>
          </section>
        );
      })}
      <Notice kind="plain">
        <p>{texts.grant(session.transferServiceAccount)}</p>
      </Notice>
    </>
  );
}
