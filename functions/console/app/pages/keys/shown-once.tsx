import { useEffect, useRef } from 'preact/hooks';
import { CopyButton } from '../../parts/copy-button';
import { Notice } from '../../parts/notice';
import { Time } from '../../parts/time';
import { TEXTS } from '../../texts';
import type { Key, NewKey } from './key';
import { titleOf } from './key';

/** What was given just now. It is in the memory of this page alone. */
export interface Given {
  readonly key: NewKey;
  /** The key that it replaces; undefined: none. */
  readonly replaces?: Key;
  /** What the service noticed. */
  readonly notices: readonly string[];
}

/** A new key, this once. */
export function ShownOnce({ given, onDone }: { readonly given: Given; readonly onDone: () => void }) {
  const { key, replaces, notices } = given;
  const element = useRef<HTMLElement>(null);
  useEffect(() => element.current?.focus(), [key.keyId]); // it is what one has to look at now
  const texts = TEXTS.newKey;
  return (
    <section class="card" aria-labelledby="shown-once" ref={element} tabIndex={-1}>
      <h2 id="shown-once">{texts.shownTitle(titleOf(key))}</h2>
      <p class="command">
        <code>{key.key}</code> <CopyButton text={key.key} what={texts.key} />
      </p>
      <p>
        <strong>{texts.shownWhat}</strong>
      </p>
      {replaces?.expiresAt && (
        <p>
          {texts.former} <Time at={replaces.expiresAt} />
        </p>
      )}
      {notices.length > 0 && (
        <Notice kind="warning">
          {notices.map((notice) => (
            <p key={notice}>{notice}</p>
          ))}
        </Notice>
      )}
      <div class="actions">
        <button type="button" onClick={onDone}>
          {texts.done}
        </button>
      </div>
    </section>
  );
}
