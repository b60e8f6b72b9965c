import { useEffect, useRef, useState } from 'preact/hooks';
import { Numbers } from '../../parts/facts';
import { Notice } from '../../parts/notice';
import { Problem } from '../../parts/problem';
import { Table } from '../../parts/table';
import { Time } from '../../parts/time';
import { toCount } from '../../format/numbers';
import { useConsole } from '../../state/console-context';
import { useAction } from '../../state/use-action';
import { TEXTS } from '../../texts';
import type { Rekeying, TenantAnswer } from './tenant';
import { Tenants } from './tenant';

interface Props {
  readonly tenant: TenantAnswer;
  readonly mayChange: boolean;
  /** It begins by itself, because somebody has just asked for it. */
  readonly startsNow: boolean;
  /** Called when it is over, or has to wait. */
  readonly onChanged: () => void;
}

const KINDS = ['customers', 'products', 'orders'] as const;

/** How far re-keying is by what is stored, and the way to go on with it, step by step. */
export function RekeyPanel({ tenant, mayChange, startsNow, onChanged }: Props) {
  const { door } = useConsole();
  const [rekeying, setRekeying] = useState<Rekeying>(tenant.rekeying);
  const ending = useRef(new AbortController());
  useEffect(() => () => ending.current.abort(), []);
  const going = useAction(async () => {
    ending.current = new AbortController();
    const { signal } = ending.current;
    for (let state = rekeying.state; state === 'due' || state === 'unfinished';) {
      const now = await new Tenants(door).rekey(tenant.tenantId, signal);
      setRekeying(now);
      ({ state } = now);
      if (state !== 'unfinished') break;
    }
    onChanged();
  });
  useEffect(() => {
    if (startsNow) going.run();
  }, []);
  const { state, repeatAfter, pass } = rekeying;
  const texts = TEXTS.rekey;
  if (state === 'complete') return <p class="hint">{texts.complete}</p>;
  return (
    <section class="card" aria-labelledby="rekeying">
      <h2 id="rekeying">{texts.title}</h2>
      <Notice kind={state === 'waiting' ? 'plain' : 'warning'}>
        <p>
          {texts.states[state]} {state === 'waiting' && repeatAfter && <Time at={repeatAfter} />}
        </p>
      </Notice>
      {pass && (
        <>
          <Table
            label={texts.progress}
            rows={KINDS.map((kind) => ({ kind, ...pass[kind] }))}
            keyOf={({ kind }) => kind}
            columns={[
              { title: texts.records, cell: ({ kind }) => TEXTS.send.kinds[kind] },
              { title: texts.lookedAt, isNumber: true, cell: ({ lookedAt }) => toCount(lookedAt) },
              { title: texts.moved, isNumber: true, cell: ({ moved }) => toCount(moved) },
              { title: texts.merged, isNumber: true, cell: ({ merged }) => toCount(merged) },
            ]}
          />
          <Numbers facts={[{ name: texts.consentsWithdrawn, value: toCount(pass.consentsWithdrawn) }]} />
        </>
      )}
      {mayChange && (
        <div class="actions">
          {going.isBusy ? (
            <>
              <span role="status">{texts.going}</span>
              <button type="button" onClick={() => ending.current.abort()}>
                {texts.stop}
              </button>
            </>
          ) : (
            <button type="button" class="main" onClick={going.run}>
              {texts.go[state]}
            </button>
          )}
        </div>
      )}
      {mayChange && <p class="hint">{texts.keepOpen}</p>}
      <Problem failure={going.failure} />
    </section>
  );
}
