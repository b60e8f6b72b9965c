import type { Action } from '../state/use-action';

interface Props {
  readonly action: Action;
  readonly text: string;
  /** What it says while it is being done. */
  readonly busyText?: string;
  readonly isMain?: boolean;
}

/** A button that does something once at a time. */
export function ActionButton({ action, text, busyText = text, isMain }: Props) {
  return (
    <button
      type="button"
      class={isMain ? 'main' : undefined}
      aria-disabled={action.isBusy}
      aria-busy={action.isBusy}
      onClick={action.run}
    >
      {action.isBusy ? busyText : text}
    </button>
  );
}
