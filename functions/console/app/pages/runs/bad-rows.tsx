import { useEffect, useRef, useState } from 'preact/hooks';
import type { RowError, Run } from '../../../../../client/src/index';
import { toBytes, toCount } from '../../format/numbers';
import { TextField } from '../../parts/field';
import { ListEnd } from '../../parts/list-end';
import { Empty } from '../../parts/notice';
import { Problem } from '../../parts/problem';
import { Table } from '../../parts/table';
import { valueOf } from '../../state/address';
import { useConsole, useLink } from '../../state/console-context';
import { replaceWith } from '../../state/history';
import { useAction } from '../../state/use-action';
import { usePages } from '../../state/use-pages';
import { TEXTS } from '../../texts';
import type { DownloadFormat } from './download';
import { downloadBadRows } from './download';

/** The bad rows of a run, of one file where the address says so, as a table and to take away. */
export function BadRows({ run }: { readonly run: Run }) {
  const { door, address } = useConsole();
  const linkTo = useLink();
  const { RunId, Status, Rows } = run;
  const object = valueOf(address, 'object');
  const [typed, setTyped] = useState('');
  useEffect(() => setTyped(object ?? ''), [object]);
  const of = door.client.run(RunId);
  const pages = usePages((signal) => of.errors({ object, signal }), [RunId, Status, object]);
  const files = [...new Set(pages.items.map(({ Object: name }) => name))];
  const texts = TEXTS.badRows;
  const filter = (event: Event) => {
    event.preventDefault();
    replaceWith(linkTo('runs', RunId, { ...address.query, object: typed.trim() }));
  };
  return (
    <section aria-labelledby="bad-rows">
      <h2 id="bad-rows">{texts.title(Rows ? toCount(Rows.Invalid) : undefined)}</h2>
      {(pages.items.length > 0 || object !== undefined) && (
        <form class="filters" onSubmit={filter}>
          <TextField label={texts.file} value={typed} onChange={setTyped} suggestions={files} isCode />
          <button type="submit">{texts.filter}</button>
          <Download format="csv" run={run} object={object} />
          <Download format="ndjson" run={run} object={object} />
        </form>
      )}
      {pages.items.length > 0 && <ErrorTable errors={pages.items} />}
      {pages.items.length === 0 && !pages.isLoading && !pages.failure && (
        <Empty>{object === undefined ? texts.none : texts.noneOfFile}</Empty>
      )}
      <ListEnd pages={pages} what={texts.what} />
    </section>
  );
}

function ErrorTable({ errors }: { readonly errors: readonly RowError[] }) {
  const texts = TEXTS.badRows;
  const lines = errors.flatMap(({ Object: file, Line, Errors, OmittedErrors }) => [
    ...Object.entries(Errors).map(([path, messages]) => ({ file, line: Line, path, message: messages.join(' ') })),
    ...(OmittedErrors === undefined
      ? []
      : [{ file, line: Line, path: '', message: texts.omitted(toCount(OmittedErrors)) }]),
  ]);
  return (
    <Table
      label={texts.table}
      rows={lines}
      keyOf={(_, index) => String(index)}
      columns={[
        { title: texts.file, cell: ({ file }) => <code>{file}</code> },
        { title: texts.line, isNumber: true, cell: ({ line }) => toCount(line) },
        { title: texts.field, cell: ({ path }) => (path === '' ? texts.wholeRow : <code>{path}</code>) },
        { title: texts.message, cell: ({ message }) => message },
      ]}
    />
  );
}

interface DownloadProps {
  readonly format: DownloadFormat;
  readonly run: Run;
  readonly object: string | undefined;
}

/** Takes all bad rows away as a file. It can be ended while it comes. */
function Download({ format, run: { RunId }, object }: DownloadProps) {
  const { door } = useConsole();
  const [characters, setCharacters] = useState(0);
  const ending = useRef<AbortController>(undefined);
  useEffect(() => () => ending.current?.abort(), []);
  const downloading = useAction(async () => {
    const controller = new AbortController();
    ending.current = controller;
    setCharacters(0);
    await downloadBadRows(door.client.run(RunId), format, { object, signal: controller.signal }, setCharacters);
  });
  const texts = TEXTS.badRows;
  return (
    <>
      <button
        type="button"
        aria-busy={downloading.isBusy}
        onClick={() => (downloading.isBusy ? ending.current?.abort() : downloading.run())}
      >
        {downloading.isBusy ? texts.stop(toBytes(characters)) : texts.download(format.toUpperCase())}
      </button>
      <Problem failure={downloading.failure} />
    </>
  );
}
