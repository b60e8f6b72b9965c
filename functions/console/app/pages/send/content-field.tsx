import { useState } from 'preact/hooks';
import { toBytes } from '../../format/numbers';
import { TextField } from '../../parts/field';
import { TEXTS } from '../../texts';
import type { Content } from './content';

/** The id of the text, in which lines with mistakes are selected. */
export const CONTENT_ID = 'send-content';

interface Props {
  readonly content: Content;
  readonly onChange: (content: Content) => void;
}

/** Where records are pasted, or a file is dropped or chosen. */
export function ContentField({ content, onChange }: Props) {
  const [isOver, setIsOver] = useState(false);
  const texts = TEXTS.send;
  const take = (files: FileList | null | undefined) => {
    const file = files?.[0];
    if (file) onChange({ file });
  };
  return (
    <div
      class={isOver ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setIsOver(false);
        take(event.dataTransfer?.files);
      }}
    >
      {'file' in content ? (
        <p class="file">
          <code>{content.file.name}</code> <span class="soft">{toBytes(content.file.size)}</span>
          <button type="button" class="small" onClick={() => onChange({ text: '' })}>
            {texts.removeFile}
          </button>
        </p>
      ) : (
        <TextField
          label={texts.records}
          value={content.text}
          onChange={(text) => onChange({ text })}
          hint={texts.recordsHint}
          lines={10}
          inputId={CONTENT_ID}
          isCode
        />
      )}
      <label class="button">
        {texts.chooseFile}
        <input
          type="file"
          class="unseen"
          accept=".json,.ndjson,.jsonl,.csv,.avro,.parquet,.gz,.zip"
          onChange={(event) => {
            take(event.currentTarget.files);
            event.currentTarget.value = '';
          }}
        />
      </label>
    </div>
  );
}
