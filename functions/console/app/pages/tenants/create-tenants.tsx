import { useState } from 'preact/hooks';
import { readTable } from '../../../../../shared/files/tables/read-table';
import { TextField } from '../../parts/field';
import { Notice } from '../../parts/notice';
import { Problem } from '../../parts/problem';
import { Table } from '../../parts/table';
import { toCount } from '../../format/numbers';
import { useConsole, useLink } from '../../state/console-context';
import { useAction } from '../../state/use-action';
import { TEXTS } from '../../texts';
import { bytesOf } from '../send/file-bytes';
import type { LineAnswer, TenantLine } from './tenant';
import { Tenants } from './tenant';

/** Lines whose answers are shown: all that were refused, and of the others the last ones. */
const MAX_SHOWN = 200;

/** Creates one tenant, or those of a file. What was created before is found again, so a repeat does no harm. */
export function CreateTenants() {
  const { door } = useConsole();
  const [organization, setOrganization] = useState('');
  const [name, setName] = useState('');
  const [answers, setAnswers] = useState<readonly LineAnswer[]>([]);
  const create = async (lines: AsyncIterable<TenantLine>) => {
    setAnswers([]);
    for await (const some of new Tenants(door).create(lines)) setAnswers((before) => [...before, ...some]);
  };
  const one = useAction(() => create(oneLine({ organizationId: organization, displayName: name })));
  const [file, setFile] = useState<File>();
  const many = useAction(() => create(linesOf(file ?? new File([], ''))));
  const texts = TEXTS.createTenants;
  const isBusy = one.isBusy || many.isBusy;
  return (
    <section class="card" aria-labelledby="create">
      <h2 id="create">{texts.title}</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy) one.run();
        }}
      >
        <TextField label={texts.organization} value={organization} onChange={setOrganization} isRequired />
        <TextField label={texts.name} value={name} onChange={setName} hint={texts.nameHint} isRequired />
        <div class="actions">
          <button type="submit" class="main" aria-disabled={isBusy}>
            {one.isBusy ? texts.creating : texts.create}
          </button>
        </div>
      </form>
      <h3>{texts.manyTitle}</h3>
      <p>{texts.many}</p>
      <div class="actions">
        <label class="button">
          {texts.chooseFile}
          <input
            type="file"
            class="unseen"
            accept=".csv,.ndjson,.jsonl,.gz"
            onChange={(event) => setFile(event.currentTarget.files?.[0])}
          />
        </label>
        {file && (
          <>
            <code>{file.name}</code>
            <button type="button" class="main" aria-disabled={isBusy} onClick={() => !isBusy && many.run()}>
              {many.isBusy ? texts.creating : texts.createMany}
            </button>
          </>
        )}
      </div>
      <Problem failure={one.failure ?? many.failure} />
      {answers.length > 0 && <Answers answers={answers} />}
    </section>
  );
}

function Answers({ answers }: { readonly answers: readonly LineAnswer[] }) {
  const linkTo = useLink();
  const texts = TEXTS.createTenants;
  const count = (outcome: LineAnswer['outcome']) => toCount(answers.filter((one) => one.outcome === outcome).length);
  const refused = answers.filter(({ outcome }) => outcome === 'refused');
  const others = answers.filter(({ outcome }) => outcome !== 'refused');
  return (
    <>
      <Notice kind={refused.length > 0 ? 'warning' : 'good'}>
        <p>{texts.result(count('created'), count('present'), count('refused'))}</p>
        {refused.length > 0 && <p>{texts.mend}</p>}
      </Notice>
      <Table
        label={texts.answers}
        rows={[...refused, ...others.reverse()].slice(0, MAX_SHOWN)}
        keyOf={({ line }) => String(line)}
        columns={[
          { title: texts.line, isNumber: true, cell: ({ line }) => toCount(line) },
          { title: texts.outcome, cell: ({ outcome }) => texts.outcomes[outcome] },
          {
            title: texts.tenant,
            cell: ({ tenantId }) =>
              tenantId && (
                <a href={linkTo('tenants', tenantId)}>
                  <code>{tenantId}</code>
                </a>
              ),
          },
          { title: texts.reason, cell: ({ reason }) => <span class="text">{reason}</span> },
        ]}
      />
    </>
  );
}

// eslint-disable-next-line @typescript-eslint/require-await -- one line of what may be a whole file
async function* oneLine(values: object): AsyncGenerator<TenantLine> {
  yield { line: 1, values };
}

function linesOf(file: File): AsyncIterable<TenantLine> {
  return readTable(bytesOf(file), /\.(ndjson|jsonl)(\.gz)?$/i.test(file.name) ? 'ndjson' : 'csv');
}
