import { useEffect, useRef, useState } from 'preact/hooks';
import { Confirm } from '../../parts/dialog';
import { Facts } from '../../parts/facts';
import { Loading } from '../../parts/list-end';
import { Notice } from '../../parts/notice';
import { Problem } from '../../parts/problem';
import { Time } from '../../parts/time';
import { toCount } from '../../format/numbers';
import { useConsole } from '../../state/console-context';
import { useAction } from '../../state/use-action';
import { useLoaded } from '../../state/use-loaded';
import { TEXTS } from '../../texts';
import type { ErasureReport, TenantAnswer } from './tenant';
import { Tenants } from './tenant';

interface Props {
  readonly tenant: TenantAnswer;
  readonly onChanged: () => void;
}

/** Shows what is stored of a tenant, and removes it step by step. Whoever comes later goes on. */
export function EraseTenant({ tenant, onChanged }: Props) {
  const { door } = useConsole();
  const tenants = new Tenants(door);
  const { tenantId, displayName, erasure } = tenant;
  const [isShown, setIsShown] = useState(erasure !== null);
  const [isAsking, setIsAsking] = useState(false);
  const [removed, setRemoved] = useState(0);
  const [end, setEnd] = useState<ErasureReport['state']>();
  const left = useLoaded(isShown ? (signal) => tenants.describeErasure(tenantId, signal) : undefined, [tenantId, isShown]); // prettier-ignore
  const ending = useRef(new AbortController());
  useEffect(() => () => ending.current.abort(), []);
  const erasing = useAction(async () => {
    ending.current = new AbortController();
    const { signal } = ending.current;
    for (;;) {
      const report = await tenants.erase(tenantId, signal);
      const now = sizeOf(report);
      setRemoved((before) => before + now);
      setEnd(report.state);
      if (report.state !== 'beingErased') return;
      if (now === 0) break; // the rest is for later
    }
    if (erasure) left.reload();
    else onChanged();
  });
  const texts = TEXTS.erase;
  if (end === 'erased' || end === 'absent') {
    return (
      <Notice kind="good">
        <p>{texts.done(toCount(removed))}</p>
      </Notice>
    );
  }
  return (
    <section class="card" aria-labelledby="erase">
      <h2 id="erase">{erasure ? texts.underWayTitle : texts.title}</h2>
      {erasure ? (
        <Notice kind="warning">
          <p>
            {texts.since} <Time at={erasure.since} />. {texts.goesOn} <Time at={erasure.goesOnAt} />.
          </p>
        </Notice>
      ) : (
        <p>{texts.what}</p>
      )}
      {isShown && left.isLoading && <Loading />}
      <Problem failure={left.failure} onRetry={left.reload} />
      {left.value && <Stored report={left.value} />}
      <div class="actions">
        {!isShown && (
          <button type="button" onClick={() => setIsShown(true)}>
            {texts.show}
          </button>
        )}
        {isShown && left.value && !erasing.isBusy && (
          <button type="button" class="danger" onClick={() => (erasure ? erasing.run() : setIsAsking(true))}>
            {erasure ? texts.goOn : texts.erase}
          </button>
        )}
        {erasing.isBusy && <span role="status">{texts.erasing(toCount(removed))}</span>}
      </div>
      <Problem failure={erasing.failure} />
      {isAsking && (
        <Confirm
          title={texts.confirmTitle(displayName ?? tenantId)}
          action={texts.erase}
          name={displayName ?? tenantId}
          act={() => {
            erasing.run();
            return Promise.resolve();
          }}
          onClose={() => setIsAsking(false)}
        >
          <p>{texts.confirm}</p>
        </Confirm>
      )}
    </section>
  );
}

/** What would be removed, or is left. */
function Stored({ report }: { readonly report: ErasureReport }) {
  const { documents, reportObjects, jobs, buckets, bucketsKept } = report;
  const texts = TEXTS.erase;
  const names = (values: readonly string[]) => (values.length === 0 ? texts.none : values.join(', '));
  return (
    <Facts
      facts={[
        ...Object.entries(documents).map(([collection, count]) => ({ name: collection, value: toCount(count) })),
        { name: texts.reportObjects, value: toCount(reportObjects) },
        { name: texts.jobs, value: names(jobs) },
        { name: texts.buckets, value: names(buckets) },
        { name: texts.bucketsKept, value: names(bucketsKept) },
      ]}
    />
  );
}

/** How much a step has removed. */
function sizeOf({ documents, reportObjects, jobs, buckets }: ErasureReport): number {
  const counted = Object.values(documents).reduce((sum, count) => sum + count, 0);
  return counted + reportObjects + jobs.length + buckets.length;
}
