import type { ComponentChildren } from 'preact';

interface Props {
  readonly kind: 'good' | 'bad' | 'warning' | 'plain';
  readonly children: ComponentChildren;
}

/** Something to read before all else. It is read out when it appears. */
export function Notice({ kind, children }: Props) {
  return (
    <div class={`notice ${kind}`} role={kind === 'bad' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}

/** Where a list has nothing: why, and what to do. */
export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}
