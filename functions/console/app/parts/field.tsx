import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import { useId } from 'preact/hooks';

interface Props {
  readonly label: string;
  readonly hint?: ComponentChildren;
  /** What is wrong with the value. */
  readonly errors?: readonly string[];
}

interface TextProps extends Props {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly type?: 'text' | 'password' | 'time' | 'date' | 'datetime-local' | 'number' | 'search';
  /** More than one line, so many of which are in sight. */
  readonly lines?: number;
  readonly isRequired?: boolean;
  /** Values to choose from; others may be typed. */
  readonly suggestions?: readonly string[];
  readonly isCode?: boolean;
  readonly min?: number;
  readonly max?: number;
  /** By which others find it. */
  readonly inputId?: string;
}

export function TextField(props: TextProps) {
  const { label, value, onChange, hint, errors = [], type = 'text', lines, suggestions, min, max } = props;
  const ownId = useId();
  const id = props.inputId ?? ownId;
  const common = {
    id,
    value,
    required: props.isRequired === true,
    class: props.isCode ? 'code' : undefined,
    'aria-invalid': errors.length > 0,
    'aria-describedby': `${id}-hint`,
    autocomplete: type === 'password' ? 'current-password' : 'off', // for managers of passwords; browsers heed no `off`
    spellcheck: false,
  } as const;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {lines === undefined ? (
        <input
          {...common}
          {...({ type, list: suggestions && `${id}-list` } as InputHTMLAttributes)} // any of several sorts
          min={min}
          max={max}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      ) : (
        <textarea {...common} rows={lines} onInput={(event) => onChange(event.currentTarget.value)} />
      )}
      {suggestions && (
        <datalist id={`${id}-list`}>
          {suggestions.map((suggestion) => (
            <option key={suggestion} value={suggestion} />
          ))}
        </datalist>
      )}
      <Hint id={`${id}-hint`} hint={hint} errors={errors} />
    </div>
  );
}

interface ChoiceProps<Value extends string> extends Props {
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly choices: readonly { readonly value: Value; readonly text: string }[];
}

export function ChoiceField<Value extends string>(props: ChoiceProps<Value>) {
  const { label, value, onChange, choices, hint, errors = [] } = props;
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        aria-describedby={`${id}-hint`}
        onChange={(event) => {
          const chosen = choices.find((choice) => choice.value === event.currentTarget.value);
          if (chosen) onChange(chosen.value);
        }}
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.text}
          </option>
        ))}
      </select>
      <Hint id={`${id}-hint`} hint={hint} errors={errors} />
    </div>
  );
}

/** What stands below a field. */
export function Hint({ id, hint, errors }: { readonly id: string } & Pick<Props, 'hint' | 'errors'>) {
  return (
    <div id={id} class="hint">
      {errors?.map((error) => (
        <p key={error} class="error">
          {error}
        </p>
      ))}
      {hint !== undefined && <p>{hint}</p>}
    </div>
  );
}
