import type { ComponentChildren } from 'preact';

interface Props {
  readonly onApply: () => void;
  readonly children: ComponentChildren;
}

/** Fields that say what the page shows, with the button that applies them. */
export function Filters({ onApply, children }: Props) {
  return (
    <form
      class="filters"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        onApply();
      }}
    >
      {children}
    </form>
  );
}
