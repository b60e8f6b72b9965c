import { useState } from 'preact/hooks';
import { Facts } from '../../parts/facts';
import { Loading } from '../../parts/list-end';
import { Notice } from '../../parts/notice';
import { Problem } from '../../parts/problem';
import { Time } from '../../parts/time';
import { useConsole } from '../../state/console-context';
import { useLoaded } from '../../state/use-loaded';
import { TEXTS } from '../../texts';
import { EraseTenant } from './erase-tenant';
import { RekeyPanel } from './rekey-panel';
import { settingsOf } from './settings';
import { SettingsForm } from './settings-form';
import { SuspendTenant } from './suspend-tenant';
import type { TenantAnswer } from './tenant';
import { Tenants } from './tenant';

/** A tenant: what it is called, its settings, how far re-keying is, and what an operator does with it. */
export function TenantPage({ tenantId }: { readonly tenantId: string }) {
  const { door, session } = useConsole();
  const tenant = useLoaded((signal) => new Tenants(door).get(tenantId, signal), [tenantId]);
  const { value, failure, isLoading, reload } = tenant;
  const [startsRekeying, setStartsRekeying] = useState(false);
  if (!value) return isLoading ? <Loading /> : <Problem failure={failure} onRetry={reload} />;
  const mayChange = session.operator || session.permissions.includes('settings');
  if (value.erasure) {
    return (
      <>
        <TenantFacts tenant={value} />
        <EraseTenant tenant={value} onChanged={reload} />
      </>
    );
  }
  return (
    <>
      {value.suspendedSince !== null && (
        <Notice kind="warning">
          <p>
            {TEXTS.tenantPage.suspended} <Time at={value.suspendedSince} />
          </p>
        </Notice>
      )}
      <TenantFacts tenant={value} />
      <RekeyPanel
        key={JSON.stringify(value.rekeying)}
        tenant={value}
        mayChange={mayChange}
        startsNow={startsRekeying}
        onChanged={() => {
          setStartsRekeying(false);
          reload();
        }}
      />
      <SettingsForm
        key={`settings ${JSON.stringify(settingsOf(value))}`}
        tenant={value}
        mayChange={mayChange}
        onSaved={(isRekeyed) => {
          setStartsRekeying(isRekeyed);
          reload();
        }}
      />
      {session.operator && <SuspendTenant tenant={value} onChanged={reload} />}
      {session.operator && <EraseTenant tenant={value} onChanged={reload} />}
    </>
  );
}

function TenantFacts({ tenant }: { readonly tenant: TenantAnswer }) {
  const texts = TEXTS.tenantPage;
  const { tenantId, organizationId, displayName } = tenant;
  return (
    <Facts
      facts={[
        { name: texts.name, value: displayName ?? TEXTS.tenantList.unnamed },
        { name: texts.id, value: <code>{tenantId}</code> },
        { name: texts.organization, value: organizationId },
      ]}
    />
  );
}
