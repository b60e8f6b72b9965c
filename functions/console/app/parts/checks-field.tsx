import { useId } from 'preact/hooks';

interface Props {
  readonly label: string;
  readonly hint: string;
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
  readonly choices: readonly string[];
}

/** Some of several values, each with a box to check. They keep the order of the choices. */
export function ChecksField({ label, hint, values, onChange, choices }: Props) {
  const id = useId();
  const toggle = (choice: string) => {
    onChange(choices.filter((one) => values.includes(one) !== (one === choice)));
  };
  return (
    <fieldset class="field checks" aria-describedby={`${id}-hint`}>
      <legend>{label}</legend>
      <div>
        {choices.map((choice) => (
          <label key={choice}>
            <input type="checkbox" checked={values.includes(choice)} onChange={() => toggle(choice)} />
            <code>{choice}</code>
          </label>
        ))}
      </div>
      <p id={`${id}-hint`} class="hint">
        {hint}
      </p>
    </fieldset>
  );
}
