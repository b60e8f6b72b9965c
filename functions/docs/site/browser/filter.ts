import { all, one } from './dom';

/** Lets a person find an operation by its name, address or fields. Enter goes to the first one that is found. */
export function startFilter(): void {
  const input = one<HTMLInputElement>('#filter');
  const said = one('.found');
  const items = all('#navigation li[data-search]');
  const found = () => items.filter((item) => !item.hidden);
  input.closest<HTMLElement>('.filter')?.removeAttribute('hidden');

  input.addEventListener('input', () => {
    const words = input.value.toLowerCase().split(/\s+/);
    for (const item of items) item.hidden = !words.every((word) => item.dataset.search?.includes(word));
    for (const section of all('#navigation section')) section.hidden = !section.querySelector('li:not([hidden])');
    said.textContent = input.value.trim() === '' ? '' : `${found().length} of ${items.length} operations`;
  });
  input.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') found()[0]?.querySelector('a')?.click();
  });
}
