import type { FieldChange, PreviewExample, RunWithExamples } from '../../../../../client/src/index';
import { Table } from '../../parts/table';
import { Value } from '../../parts/value';
import { TEXTS } from '../../texts';

/** Records that a preview would change, field by field. */
export function PreviewExamples({ run: { Examples, Status } }: { readonly run: RunWithExamples }) {
  const texts = TEXTS.examples;
  if (!Examples || (Examples.length === 0 && Status === 'running')) return null;
  return (
    <section aria-labelledby="examples">
      <h2 id="examples">{texts.title}</h2>
      {Examples.length === 0 && <p class="empty">{texts.none}</p>}
      {Examples.map((example, index) => (
        <Example key={String(index)} example={example} />
      ))}
    </section>
  );
}

function Example({ example }: { readonly example: PreviewExample }) {
  const { Object: file, Line, Identifiers, Fields, OmittedFields = [] } = example;
  const texts = TEXTS.examples;
  const name = Object.entries(Identifiers)
    .map(([field, value]) => `${field} ${value}`)
    .join(', ');
  type Change = readonly [string, FieldChange];
  return (
    <section class="example" aria-label={name}>
      <h3>{name}</h3>
      <p class="soft">
        <code>{file}</code>
        {Line !== null && ` ${texts.line(Line)}`}
      </p>
      <Table<Change>
        label={texts.fieldsOf(name, file)}
        rows={Object.entries(Fields)}
        keyOf={([field]) => field}
        columns={[
          { title: texts.field, cell: ([field]) => field },
          { title: texts.from, cell: ([, { from }]) => <Value value={from} /> },
          { title: texts.to, cell: ([, { to }]) => <Value value={to} /> },
        ]}
      />
      {OmittedFields.length > 0 && <p class="soft">{texts.omitted(OmittedFields)}</p>}
    </section>
  );
}
