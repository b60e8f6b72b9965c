import { all, one } from './dom';
import { showAnswer, showFailure } from './result';
import { withTenant } from './values';

/** Callers are promised an answer within 30 seconds of the last byte of their request. */
const TIMEOUT_MS = 60_000;

/** Sends the forms' requests to the server that the page comes from. */
export function startTrying(): void {
  for (const form of all<HTMLFormElement>('form.try')) {
    form.hidden = false;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (form.getAttribute('aria-busy') !== 'true') void trySending(form);
    });
  }
}

/** Fills the form of an operation with the example that is chosen; the tenant stays as it was typed. */
export function fill(chooser: HTMLSelectElement): void {
  const form = one<HTMLFormElement>('form.try', chooser.closest('.trying') ?? document);
  const { parameters = '{}', body } = chooser.selectedOptions[0]?.dataset ?? {};
  const values = JSON.parse(parameters) as Readonly<Record<string, string>>;
  for (const input of all<HTMLInputElement>('[data-parameter]:not([data-shared])', form))
    input.value = withTenant(values[input.dataset.parameter ?? ''] ?? '');
  const area = form.querySelector<HTMLTextAreaElement>('[data-body]');
  if (area && body !== undefined) area.value = withTenant(JSON.stringify(JSON.parse(body), null, 2));
}

async function trySending(form: HTMLFormElement): Promise<void> {
  form.setAttribute('aria-busy', 'true');
  const startMs = performance.now();
  try {
    const answer = await fetch(targetOf(form), requestOf(form));
    await showAnswer(form, answer, performance.now() - startMs);
  } catch (error) {
    showFailure(form, error);
  } finally {
    form.removeAttribute('aria-busy');
  }
}

/** @throws Error for an id such as `..`, with which a browser would ask for another path */
function targetOf(form: HTMLFormElement): URL {
  const inputs = all<HTMLInputElement>('[data-parameter]', form);
  const valueOf = (name: string) => inputs.find(({ dataset }) => dataset.parameter === name)?.value ?? '';
  const path = (form.dataset.path ?? '').replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(valueOf(name)));
  const target = new URL(path, location.origin);
  if (target.pathname !== path) throw new Error('A browser cannot send this path.');
  for (const { dataset, value } of inputs)
    if (dataset.in === 'query' && value !== '') target.searchParams.set(dataset.parameter ?? '', value);
  return target;
}

function requestOf(form: HTMLFormElement): RequestInit {
  const { method = 'GET', keyHeader = '' } = form.dataset;
  const body = form.querySelector<HTMLTextAreaElement>('[data-body]')?.value;
  const accept = form.querySelector<HTMLSelectElement>('[data-accept]')?.value;
  return {
    method,
    headers: {
      [keyHeader]: one<HTMLInputElement>('[data-shared="key"]', form).value.trim(),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(accept !== undefined && { Accept: accept }),
    },
    ...(body !== undefined && { body }),
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  };
}
