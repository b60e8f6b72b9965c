import { TEXTS } from '../texts';

interface Props {
  readonly text: string;
  /** What the row is about; a person who does not see the row hears it with the text. */
  readonly of: string;
  readonly isDanger?: boolean;
  /** It does nothing meanwhile. */
  readonly isBusy?: boolean;
  readonly onClick: () => void;
}

/** A button in a row of a table. */
export function RowButton({ text, of, isDanger = false, isBusy = false, onClick }: Props) {
  return (
    <button
      type="button"
      class={isDanger ? 'small danger' : 'small'}
      aria-label={TEXTS.table.labelOf(text, of)}
      aria-disabled={isBusy}
      onClick={() => {
        if (!isBusy) onClick();
      }}
    >
      {text}
    </button>
  );
}
