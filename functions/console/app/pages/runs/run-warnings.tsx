import type { Run, TransferWarning } from '../../../../../client/src/index';
import { toCount } from '../../format/numbers';
import { TEXTS } from '../../texts';

/** What was accepted and was probably not meant. */
export function RunWarnings({ run: { Warnings, IgnoredFields } }: { readonly run: Run }) {
  const texts = TEXTS.warnings;
  if (Warnings.length === 0 && IgnoredFields.length === 0) return null;
  return (
    <section aria-labelledby="warnings">
      <h2 id="warnings">{texts.title}</h2>
      <ul class="warnings">
        {Warnings.map((warning) => (
          <Warning key={warning.Code} warning={warning} />
        ))}
        {IgnoredFields.length > 0 && (
          <li>
            {texts.ignored}{' '}
            {IgnoredFields.map((field) => (
              <code key={field}>{field} </code>
            ))}
          </li>
        )}
      </ul>
    </section>
  );
}

function Warning({ warning: { Message, Count, Examples } }: { readonly warning: TransferWarning }) {
  return (
    <li>
      {Message} <span class="soft">{TEXTS.warnings.count(toCount(Count))}</span>
      <ul>
        {Examples.map((example, index) => (
          <li key={String(index)}>
            <code>{exampleOf(example)}</code>
          </li>
        ))}
      </ul>
    </li>
  );
}

function exampleOf(example: TransferWarning['Examples'][number]): string {
  const { Object: file, Line, Folder, Field, Expected } = example;
  const field = Field !== undefined && Expected !== undefined ? `${Field} → ${Expected}` : Field;
  const line = Line === undefined ? undefined : TEXTS.examples.line(Line);
  return [file, line, Folder, field].filter((part) => part !== undefined).join(' ');
}
