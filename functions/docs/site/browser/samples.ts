import { all, one } from './dom';
import { fill } from './try-it';

const COPIED_MS = 2_000;

/** Lets a person choose a language, for all samples at once, and an example, which also fills the form; and copy. */
export function startSamples(): void {
  for (const group of all('.languages')) group.hidden = false;
  for (const button of all('[data-language][aria-pressed]'))
    button.addEventListener('click', () => chooseLanguage(button.dataset.language ?? ''));
  for (const button of all<HTMLButtonElement>('.copy')) {
    button.hidden = false;
    button.addEventListener('click', () => void copy(button));
  }
  for (const chooser of all<HTMLSelectElement>('select[data-example]')) {
    const label = chooser.closest('label');
    if (label && !('single' in label.dataset)) label.hidden = false;
    const choose = () => {
      showSamples(one('.languages [aria-pressed="true"]').dataset.language ?? '');
      fill(chooser);
    };
    chooser.addEventListener('change', choose);
    fill(chooser);
  }
}

function chooseLanguage(language: string): void {
  for (const button of all('[data-language][aria-pressed]'))
    button.setAttribute('aria-pressed', String(button.dataset.language === language));
  showSamples(language);
}

/** Of each operation the sample of its chosen example. */
function showSamples(language: string): void {
  for (const section of all('.samples')) {
    const example = one<HTMLSelectElement>('select[data-example]', section).value;
    for (const sample of all('.sample', section))
      sample.hidden = sample.dataset.language !== language || sample.dataset.example !== example;
  }
}

async function copy(button: HTMLButtonElement): Promise<void> {
  const text = button.parentElement?.querySelector('code')?.textContent ?? '';
  button.textContent = await navigator.clipboard.writeText(text).then(
    () => 'Copied',
    () => 'Not allowed by the browser',
  );
  setTimeout(() => (button.textContent = 'Copy'), COPIED_MS);
}
