import type { Failure } from '../../api/failure';
import { toFailure } from '../../api/failure';
import { Confirm } from '../../parts/dialog';
import { Loading } from '../../parts/list-end';
import { Problem } from '../../parts/problem';
import { toCount } from '../../format/numbers';
import { useConsole } from '../../state/console-context';
import { useLoaded } from '../../state/use-loaded';
import { TEXTS } from '../../texts';
import { meaningsOf, minutesFor, needsRekeying, rekeyingOf } from './settings';
import type { Settings, TenantAnswer } from './tenant';
import { Tenants } from './tenant';

interface Props {
  readonly tenant: TenantAnswer;
  readonly changes: Partial<Settings>;
  readonly onFailed: (failure: Failure) => void;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/** Says what the changes mean, and saves them. What re-keying merges stays merged, so that a name has to be typed. */
export function ReviewChanges({ tenant, changes, onFailed, onSaved, onClose }: Props) {
  const { door } = useConsole();
  const { tenantId, displayName } = tenant;
  const isRekeyed = needsRekeying(changes);
  const texts = TEXTS.settings;
  return (
    <Confirm
      title={texts.reviewTitle}
      action={isRekeyed ? texts.saveAndRekey : texts.save}
      {...(isRekeyed && { name: displayName ?? tenantId })}
      act={async () => {
        await new Tenants(door).change(tenantId, changes).catch((error: unknown) => {
          onFailed(toFailure(error));
          throw error;
        });
        onSaved();
      }}
      onClose={onClose}
    >
      <ul>
        {meaningsOf(tenant, changes).map((meaning) => (
          <li key={meaning}>{meaning}</li>
        ))}
      </ul>
      {isRekeyed && <RekeyingMeans tenantId={tenantId} changes={changes} />}
    </Confirm>
  );
}

/** What happens to stored records, how many, and how long it takes. */
function RekeyingMeans({ tenantId, changes }: { readonly tenantId: string; readonly changes: Partial<Settings> }) {
  const { door } = useConsole();
  const counts = useLoaded((signal) => new Tenants(door).countRecords(tenantId, signal), [tenantId]);
  const texts = TEXTS.settings.rekeying;
  const { customers = 0, products = 0, orders = 0 } = counts.value ?? {};
  return (
    <>
      <h3>{texts.title}</h3>
      {counts.isLoading && <Loading />}
      <Problem failure={counts.failure} onRetry={counts.reload} />
      {counts.value && (
        <p>
          {texts.size(toCount(customers), toCount(products), toCount(orders))}{' '}
          {texts.takes(toCount(minutesFor(customers + products + orders)))}
        </p>
      )}
      <ul>
        {[...rekeyingOf(changes), texts.until, texts.again].map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </>
  );
}
