import { toFailure } from '../../api/failure';
import { toCount } from '../../format/numbers';
import { Notice } from '../../parts/notice';
import { Problem } from '../../parts/problem';
import { Table } from '../../parts/table';
import { TEXTS } from '../../texts';
import type { Content } from './content';
import { lineAt } from './content';
import { CONTENT_ID } from './content-field';
import type { Passed } from './pass';

interface Props {
  readonly passed: Passed;
  readonly content: Content;
  /** Whether it was sent, and not only checked. */
  readonly isSent: boolean;
}

/** What the service said of the rows, with the mistakes at their lines. */
export function PassResult({ passed, content, isSent }: Props) {
  const { stored, deleted, rejected, badRows, ignoredFields, warnings, hasUpdatedAt, unread, failure } = passed;
  const texts = TEXTS.send;
  const summary = (isSent ? texts.sentResult : texts.checkedResult)(
    toCount(stored),
    toCount(deleted),
    toCount(rejected),
  );
  return (
    <section aria-labelledby="result">
      <h2 id="result">{isSent ? texts.sentTitle : texts.checkedTitle}</h2>
      <Notice kind={rejected > 0 || unread ? 'warning' : 'good'}>
        <p>{summary}</p>
        {ignoredFields.length > 0 && <p>{texts.ignored(ignoredFields)}</p>}
        {hasUpdatedAt && <p>{texts.updatedAt}</p>}
        {warnings.map(({ code, message, count }) => (
          <p key={code}>
            {message} <span class="soft">{TEXTS.warnings.count(toCount(count))}</span>
          </p>
        ))}
        {unread && <p>{texts.unread(unread.message)}</p>}
      </Notice>
      <Problem failure={failure && toFailure(failure)} />
      {badRows.length > 0 && <BadRowTable passed={passed} content={content} />}
      {rejected > badRows.length && <p class="soft">{texts.moreRejected(toCount(badRows.length))}</p>}
    </section>
  );
}

function BadRowTable({ passed: { badRows }, content }: { readonly passed: Passed; readonly content: Content }) {
  const lines = badRows.flatMap(({ line, errors }) =>
    Object.entries(errors).map(([path, messages]) => ({ line, path, message: messages.join(' ') })),
  );
  const texts = TEXTS.badRows;
  return (
    <Table
      label={TEXTS.send.badRows}
      rows={lines}
      keyOf={(_, index) => String(index)}
      columns={[
        { title: texts.line, isNumber: true, cell: ({ line }) => <LineNumber line={line} content={content} /> },
        { title: texts.field, cell: ({ path }) => (path === '' ? texts.wholeRow : <code>{path}</code>) },
        { title: texts.message, cell: ({ message }) => message },
      ]}
    />
  );
}

/** The number of a line; of a pasted text a way to it. In a JSON array elements are counted, which are no lines. */
function LineNumber({ line, content }: { readonly line: number; readonly content: Content }) {
  if ('file' in content || content.text.trimStart().startsWith('[')) return <>{toCount(line)}</>;
  const show = () => {
    const area = document.getElementById(CONTENT_ID);
    if (!(area instanceof HTMLTextAreaElement)) return;
    const { start, end } = lineAt(content.text, line);
    area.focus();
    area.setSelectionRange(start, end);
  };
  return (
    <button type="button" class="small" aria-label={TEXTS.send.goToLine(line)} onClick={show}>
      {toCount(line)}
    </button>
  );
}
