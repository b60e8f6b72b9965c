import type { ComponentChildren } from 'preact';

export interface Fact {
  readonly name: string;
  readonly value: ComponentChildren;
  /** What draws the eye where it is not zero. */
  readonly isBad?: boolean;
}

/** Names and values, one below the other. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Numbers side by side. */
export function Numbers({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl class="numbers">
      {facts.map(({ name, value, isBad }) => (
        <div key={name} class={isBad ? 'bad' : undefined}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
