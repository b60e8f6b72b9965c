import { useState } from 'preact/hooks';
import { ActionButton } from '../../parts/action-button';
import { Confirm } from '../../parts/dialog';
import { Problem } from '../../parts/problem';
import { useConsole } from '../../state/console-context';
import { useAction } from '../../state/use-action';
import { TEXTS } from '../../texts';
import type { TenantAnswer } from './tenant';
import { Tenants } from './tenant';

/** Suspends a tenant, or resumes it. Both can be undone, so that no name has to be typed. */
export function SuspendTenant({
  tenant,
  onChanged,
}: {
  readonly tenant: TenantAnswer;
  readonly onChanged: () => void;
}) {
  const { door } = useConsole();
  const tenants = new Tenants(door);
  const [isAsking, setIsAsking] = useState(false);
  const resuming = useAction(async () => {
    await tenants.resume(tenant.tenantId);
    onChanged();
  });
  const texts = TEXTS.suspend;
  const isSuspended = tenant.suspendedSince !== null;
  return (
    <section class="card" aria-labelledby="suspend">
      <h2 id="suspend">{texts.title}</h2>
      <p>{isSuspended ? texts.isSuspended : texts.what}</p>
      <div class="actions">
        {isSuspended ? (
          <ActionButton action={resuming} text={texts.resume} busyText={texts.resuming} isMain />
        ) : (
          <button type="button" class="danger" onClick={() => setIsAsking(true)}>
            {texts.suspend}
          </button>
        )}
      </div>
      <Problem failure={resuming.failure} />
      {isAsking && (
        <Confirm
          title={texts.suspendTitle(tenant.displayName ?? tenant.tenantId)}
          action={texts.suspend}
          act={async () => {
            await tenants.suspend(tenant.tenantId);
            onChanged();
          }}
          onClose={() => setIsAsking(false)}
        >
          <p>{texts.what}</p>
        </Confirm>
      )}
    </section>
  );
}
