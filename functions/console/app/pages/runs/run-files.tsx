import type { Run, RunFile } from '../../../../../client/src/index';
import { toBytes } from '../../format/numbers';
import { Badge } from '../../parts/badge';
import { ChoiceField } from '../../parts/field';
import { ListEnd } from '../../parts/list-end';
import { Empty } from '../../parts/notice';
import { Table } from '../../parts/table';
import { valueOf } from '../../state/address';
import { useConsole, useLink } from '../../state/console-context';
import { replaceWith } from '../../state/history';
import { usePages } from '../../state/use-pages';
import { TEXTS } from '../../texts';
import { rowColumns } from './row-columns';

const STATUSES = ['waiting', 'running', 'finished', 'failed', 'skipped'] as const;

/** The files of a run, of one status where the address says so. They come again when the run has ended. */
export function RunFiles({ run: { RunId, Status } }: { readonly run: Run }) {
  const { door, address } = useConsole();
  const linkTo = useLink();
  const status = STATUSES.find((one) => one === valueOf(address, 'files'));
  const pages = usePages((signal) => door.client.run(RunId).files({ status, signal }), [RunId, Status, status]);
  const texts = TEXTS.files;
  return (
    <section aria-labelledby="files">
      <h2 id="files">{texts.title}</h2>
      <div class="filters">
        <ChoiceField
          label={texts.status}
          value={status ?? ''}
          onChange={(chosen) => replaceWith(linkTo('runs', RunId, { ...address.query, files: chosen }))}
          choices={[
            { value: '', text: texts.anyStatus },
            ...STATUSES.map((value) => ({ value, text: TEXTS.status[value] })),
          ]}
        />
        {Status === 'running' && (
          <button type="button" onClick={pages.reload}>
            {TEXTS.runs.refresh}
          </button>
        )}
      </div>
      {pages.items.length > 0 && <FileTable files={pages.items} />}
      {pages.items.length === 0 && !pages.isLoading && !pages.failure && <Empty>{texts.none}</Empty>}
      <ListEnd pages={pages} what={texts.what} />
    </section>
  );
}

function FileTable({ files }: { readonly files: readonly RunFile[] }) {
  const texts = TEXTS.files;
  return (
    <Table
      label={texts.table}
      rows={files}
      keyOf={({ Object: name, Generation }) => `${Generation} ${name}`}
      columns={[
        { title: texts.name, cell: ({ Object: name }) => <code>{name}</code> },
        { title: TEXTS.runs.status, cell: ({ Status }) => <Badge status={Status} /> },
        { title: texts.kind, cell: ({ Kind, Format }) => (Kind ? `${Kind}, ${Format ?? ''}` : '–') },
        { title: texts.size, isNumber: true, cell: ({ Size }) => toBytes(Size) },
        ...rowColumns<RunFile>(({ Rows }) => Rows),
        { title: texts.why, cell: ({ Error: error, Reason }) => error ?? Reason ?? '' },
      ]}
    />
  );
}
