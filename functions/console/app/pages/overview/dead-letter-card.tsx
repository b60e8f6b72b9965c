import { useState } from 'preact/hooks';
import type { DeadLetterAct, DeadLetterResult, DeadLetters, DeadLetterSelection } from '../../api/management-answers';
import { actOnDeadLetters } from '../../api/management';
import { toCount } from '../../format/numbers';
import { Confirm } from '../../parts/dialog';
import { Loading } from '../../parts/list-end';
import { Empty, Notice } from '../../parts/notice';
import { Problem } from '../../parts/problem';
import { RowButton } from '../../parts/row-button';
import { Table } from '../../parts/table';
import { Time } from '../../parts/time';
import { useConsole } from '../../state/console-context';
import { useAction } from '../../state/use-action';
import type { Loaded } from '../../state/use-loaded';
import { TEXTS } from '../../texts';

/** Dead letters, to be replayed, or to be discarded, for which the project's name is typed. */
export function DeadLetterCard({ letters }: { readonly letters: Loaded<DeadLetters> }) {
  const { door, session } = useConsole();
  const [done, setDone] = useState<{ readonly act: DeadLetterAct } & DeadLetterResult>();
  const [doomed, setDoomed] = useState<readonly string[]>();
  const perform = async (act: DeadLetterAct, selection: DeadLetterSelection) => {
    setDone(undefined);
    try {
      setDone({ act, ...(await actOnDeadLetters(door, act, selection)) });
    } finally {
      letters.reload();
    }
  };
  const replaying = useAction((selection: DeadLetterSelection) => perform('replay', selection));
  // Looking at dead letters takes them from the queue, so nobody finds them meanwhile.
  const isBusy = replaying.isBusy || letters.isLoading;
  const found = letters.value;
  const texts = TEXTS.deadLetters;
  return (
    <section class="card" aria-labelledby="letters">
      <h2 id="letters">{texts.title}</h2>
      {done && (
        <Notice kind={done.problem === null ? 'good' : 'warning'}>
          <p>
            {texts.done[done.act](toCount(done.count))} {done.problem}
          </p>
        </Notice>
      )}
      <Problem failure={replaying.failure} />
      {replaying.isBusy && <Loading text={texts.replaying} />}
      {found && (
        <div role="status">
          {found.count === 0 ? (
            <Empty>{texts.none}</Empty>
          ) : (
            <p>{texts.count(found.isMore ? TEXTS.waiting.orMore(toCount(found.count)) : toCount(found.count))}</p>
          )}
        </div>
      )}
      {found && found.count > 0 && (
        <>
          <p class="hint">{texts.mend}</p>
          <div class="actions">
            <button type="button" aria-disabled={isBusy} onClick={() => !isBusy && replaying.run({ all: true })}>
              {texts.replayAll}
            </button>
            <button
              type="button"
              class="danger"
              aria-disabled={isBusy}
              onClick={() => !isBusy && setDoomed(found.letters.map(({ id }) => id))}
            >
              {texts.discardShown}
            </button>
          </div>
          <Table
            label={texts.table}
            rows={found.letters}
            keyOf={({ id }) => id}
            columns={[
              { title: texts.at, cell: ({ publishedAt }) => <Time at={publishedAt} /> },
              { title: texts.id, cell: ({ id }) => <code>{id}</code> },
              { title: texts.function, cell: (letter) => letter.function ?? '–' },
              { title: texts.attempts, isNumber: true, cell: ({ attempts }) => attempts ?? '–' },
              { title: texts.reason, cell: ({ reason }) => <span class="text">{reason ?? '–'}</span> },
              {
                title: texts.actions,
                cell: ({ id }) => (
                  <span class="row-actions">
                    <RowButton
                      text={texts.replay}
                      of={id}
                      isBusy={isBusy}
                      onClick={() => replaying.run({ ids: [id] })}
                    />
                    <RowButton text={texts.discard} of={id} isDanger isBusy={isBusy} onClick={() => setDoomed([id])} />
                  </span>
                ),
              },
            ]}
          />
        </>
      )}
      {letters.isLoading && <Loading />}
      {doomed && (
        <Confirm
          title={texts.discardTitle}
          action={texts.discard}
          name={session.projectId ?? texts.title}
          act={() => perform('discard', { ids: doomed })}
          onClose={() => setDoomed(undefined)}
        >
          <p>{texts.discardWhat(toCount(doomed.length))}</p>
        </Confirm>
      )}
    </section>
  );
}
