import { useEffect, useRef, useState } from 'preact/hooks';
import { RECORD_KINDS } from '../../../../../shared/domain/identity';
import type { RecordKind } from '../../../../../shared/domain/identity';
import { parseFileKind } from '../../../../../shared/files/file-kind';
import { ChoiceField } from '../../parts/field';
import { Notice } from '../../parts/notice';
import { Problem } from '../../parts/problem';
import { toCount } from '../../format/numbers';
import { valueOf } from '../../state/address';
import { useConsole, useLink, useTenant } from '../../state/console-context';
import { replaceWith } from '../../state/history';
import { useAction } from '../../state/use-action';
import { TEXTS } from '../../texts';
import type { Content } from './content';
import { formatOf } from './content';
import { ContentField } from './content-field';
import type { Passed, PassProgress } from './pass';
import { pass } from './pass';
import { PassResult } from './pass-result';

/** Records that are pasted or dropped: checked by the service, shown with their mistakes, and then sent. */
export function SendPage() {
  const { door, session, address } = useConsole();
  const tenant = useTenant();
  const linkTo = useLink();
  const allowed = RECORD_KINDS.filter((kind) => session.permissions.includes(kind));
  const kind = allowed.find((one) => one === valueOf(address, 'kind')) ?? allowed[0] ?? 'customers';
  const [content, setContent] = useState<Content>({ text: '' });
  const [checked, setChecked] = useState<Passed>();
  const [sent, setSent] = useState<Passed>();
  const [progress, setProgress] = useState<PassProgress>();
  const ending = useRef(new AbortController());
  useEffect(() => () => ending.current.abort(), []);

  const passContent = async (validateOnly: boolean): Promise<Passed> => {
    ending.current = new AbortController();
    setProgress({ rows: 0, rejected: 0 });
    try {
      return await pass({
        client: door.client,
        tenant,
        kind,
        format: formatOf(content),
        content: 'file' in content ? content.file : new Blob([content.text]),
        validateOnly,
        signal: ending.current.signal,
        onProgress: setProgress,
      });
    } finally {
      setProgress(undefined);
    }
  };
  const begin = () => {
    ending.current.abort();
    setChecked(undefined);
    setSent(undefined);
  };
  const checking = useAction(async () => {
    begin();
    setChecked(await passContent(true));
  });
  const sending = useAction(async () => {
    setSent(await passContent(false));
  });
  const choose = (chosen: RecordKind) => {
    begin();
    replaceWith(linkTo('send', undefined, { kind: chosen }));
  };
  const take = (next: Content) => {
    begin();
    setContent(next);
    const named = 'file' in next ? parseFileKind(next.file.name)?.kind : undefined;
    if (named && allowed.includes(named)) choose(named);
  };
  const isBusy = checking.isBusy || sending.isBusy;
  const isEmpty = 'text' in content && content.text.trim() === '';
  const good = checked && checked.stored + checked.deleted;
  const texts = TEXTS.send;
  return (
    <>
      <p>{texts.introduction}</p>
      <form
        class="card"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy && !isEmpty) checking.run();
        }}
      >
        <ChoiceField
          label={texts.kind}
          value={kind}
          onChange={choose}
          choices={allowed.map((value) => ({ value, text: texts.kinds[value] }))}
        />
        <ContentField content={content} onChange={take} />
        <div class="actions">
          <button type="submit" class={checked ? undefined : 'main'} disabled={isEmpty} aria-disabled={isBusy}>
            {checking.isBusy ? texts.checking : texts.check}
          </button>
          {good !== undefined && good > 0 && !sent && !checked?.failure && (
            <button type="button" class="main" aria-disabled={isBusy} onClick={sending.run}>
              {sending.isBusy ? texts.sending : texts.send(toCount(good))}
            </button>
          )}
          {isBusy && (
            <button type="button" onClick={() => ending.current.abort()}>
              {texts.stop}
            </button>
          )}
        </div>
      </form>
      {progress && <Notice kind="plain">{texts.progress(toCount(progress.rows), toCount(progress.rejected))}</Notice>}
      <Problem failure={checking.failure ?? sending.failure} />
      {sent ? (
        <PassResult passed={sent} content={content} isSent />
      ) : (
        checked && <PassResult passed={checked} content={content} isSent={false} />
      )}
    </>
  );
}
