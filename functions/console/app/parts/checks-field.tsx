import { useId } from 'preact/hooks';
import { Hint } from './field';

interface Props<Value extends string> {
  readonly label: string;
  readonly hint?: string;
  /** What is wrong with what was chosen. */
  readonly errors?: readonly string[];
  readonly values: readonly Value[];
  readonly onChange: (values: readonly Value[]) => void;
  readonly choices: readonly Value[];
  /** What a choice means. */
  readonly meaningOf?: (choice: Value) => string;
}

/** Some of several values, each with a box to check. They keep the order of the choices. */
export function ChecksField<Value extends string>(props: Props<Value>) {
  const { label, hint, errors = [], values, onChange, choices, meaningOf } = props;
  const id = useId();
  const toggle = (choice: Value) => {
    onChange(choices.filter((one) => values.includes(one) !== (one === choice)));
  };
  return (
    <fieldset class="field checks" aria-describedby={`${id}-hint`}>
      <legend>{label}</legend>
      <div class={meaningOf && 'described'}>
        {choices.map((choice) => (
          <label key={choice}>
            <input type="checkbox" checked={values.includes(choice)} onChange={() => toggle(choice)} />
            <span>
              <code>{choice}</code> {meaningOf && <span class="soft">{meaningOf(choice)}</span>}
            </span>
          </label>
        ))}
      </div>
      <Hint id={`${id}-hint`} hint={hint} errors={errors} />
    </fieldset>
  );
}
