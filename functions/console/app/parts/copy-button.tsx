import { useState } from 'preact/hooks';
import { TEXTS } from '../texts';

/** Copies a text. @param what the text is, for whoever does not see where the button stands */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const [isCopied, setIsCopied] = useState(false);
  const copy = () => {
    void navigator.clipboard.writeText(text).then(() => setIsCopied(true));
  };
  return (
    <button type="button" class="small" aria-label={TEXTS.copy.label(what)} onClick={copy}>
      {isCopied ? TEXTS.copy.done : TEXTS.copy.copy}
    </button>
  );
}
