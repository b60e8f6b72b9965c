import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useAction } from '../state/use-action';
import { TEXTS } from '../texts';
import { TextField } from './field';
import { Problem } from './problem';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A window above the page, as long as it is rendered. Escape closes it, and the focus returns where it was. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const id = useId();
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close(); // gives the focus back
  }, []);
  return (
    <dialog ref={element} aria-labelledby={id} onClose={onClose}>
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        <button type="button" class="small" onClick={() => element.current?.close()}>
          {TEXTS.dialog.close}
        </button>
      </div>
      {children}
    </dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  /** What will happen. */
  readonly children: ComponentChildren;
  /** What the button says. */
  readonly action: string;
  /** What has to be typed first, because it cannot be undone; undefined: nothing. */
  readonly name?: string;
  readonly act: () => Promise<void>;
  readonly onClose: () => void;
}

/** Asks before something is done. */
export function Confirm({ title, children, action, name, act, onClose }: ConfirmProps) {
  const [typed, setTyped] = useState('');
  const acting = useAction(async () => {
    await act();
    onClose();
  });
  const isReady = name === undefined || typed === name;
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="confirm"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) acting.run();
        }}
      >
        {children}
        {name !== undefined && (
          <TextField label={TEXTS.dialog.typeName(name)} value={typed} onChange={setTyped} isCode />
        )}
        <Problem failure={acting.failure} />
        <div class="actions">
          <button type="submit" class="danger" disabled={!isReady || acting.isBusy}>
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
