import type { ComponentChildren } from 'preact';
import type { Failure } from '../../api/failure';
import { Loading } from '../../parts/list-end';
import { Problem } from '../../parts/problem';
import { TEXTS } from '../../texts';

/** Something that somebody should look at. */
export interface Concern {
  readonly name: string;
  readonly text: ComponentChildren;
  readonly isBad?: boolean;
}

interface Source {
  readonly isLoading: boolean;
  readonly failure: Failure | undefined;
  readonly reload: () => void;
}

interface Props {
  /** What concerns follow from. */
  readonly sources: readonly Source[];
  readonly concerns: readonly Concern[];
}

/** What needs attention. That nothing does is said when everything was looked at. */
export function Attention({ sources, concerns }: Props) {
  const isLooking = sources.some(({ isLoading }) => isLoading);
  const failed = sources.filter(({ failure }) => failure);
  const texts = TEXTS.attention;
  return (
    <section class="card" aria-labelledby="attention">
      <h2 id="attention">{texts.title}</h2>
      {concerns.length > 0 && (
        <ul class="attention">
          {concerns.map(({ name, text, isBad }) => (
            <li key={name} class={isBad ? 'bad' : undefined}>
              {text}
            </li>
          ))}
        </ul>
      )}
      {failed.map(({ failure, reload }, index) => (
        <Problem key={String(index)} failure={failure} onRetry={reload} />
      ))}
      {isLooking && <Loading />}
      {concerns.length === 0 && failed.length === 0 && !isLooking && <p>{texts.none}</p>}
    </section>
  );
}
