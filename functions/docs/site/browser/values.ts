/** What a person types once for the whole page: the key and the tenant. */
import { all } from './dom';

const GUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The tenant of the examples. */
const exampleTenant = all('[data-value="tenantId"]')[0]?.textContent ?? '';

/** The tenant that samples and bodies name now. */
let tenant = exampleTenant;

export function startValues(): void {
  for (const place of all('[data-value="baseUrl"]')) place.textContent = location.origin;
  for (const input of all<HTMLInputElement>('input[data-shared]')) input.addEventListener('input', () => share(input));
}

/** A text of an example, which names the tenant that was typed. */
export function withTenant(text: string): string {
  return text.replaceAll(exampleTenant, tenant);
}

function share({ value, dataset: { shared = '' } }: HTMLInputElement): void {
  for (const other of all<HTMLInputElement>(`input[data-shared="${shared}"]`))
    if (other.value !== value) other.value = value;
  if (shared === 'tenantId' && GUID.test(value)) showTenant(value);
}

function showTenant(typed: string): void {
  for (const place of all('[data-value="tenantId"]')) place.textContent = typed;
  for (const body of all<HTMLTextAreaElement>('[data-body]')) body.value = body.value.replaceAll(tenant, typed);
  tenant = typed;
}
