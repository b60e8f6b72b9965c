import type { Failure } from '../api/failure';
import { TEXTS } from '../texts';
import { CopyButton } from './copy-button';
import { Notice } from './notice';

interface Props {
  readonly failure: Failure | undefined;
  /** Undefined: trying again is up to another button. */
  readonly onRetry?: (() => void) | undefined;
}

/** What went wrong, with the trace id that the service's operators ask for. */
export function Problem({ failure, onRetry }: Props) {
  if (!failure) return null;
  const errors = Object.entries(failure.errors);
  return (
    <Notice kind="bad">
      <p>{failure.message}</p>
      {errors.length > 0 && (
        <ul>
          {errors.map(([path, messages]) => (
            <li key={path}>
              {path !== '' && <code>{path}</code>} {messages.join(' ')}
            </li>
          ))}
        </ul>
      )}
      {failure.traceId !== undefined && (
        <p class="trace">
          {TEXTS.problem.trace} <code>{failure.traceId}</code>{' '}
          <CopyButton text={failure.traceId} what={TEXTS.problem.traceId} />
        </p>
      )}
      {onRetry && (
        <button type="button" onClick={onRetry}>
          {TEXTS.problem.retry}
        </button>
      )}
    </Notice>
  );
}
