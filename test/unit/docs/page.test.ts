/** What the page says of a document. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenApiDocument } from '../../../functions/docs/site/document';
import { endpointsOf } from '../../../functions/docs/site/document';
import { toPage } from '../../../functions/docs/site/page';

const text = readFileSync(join(__dirname, '../../../openapi.json'), 'utf8');
const document = JSON.parse(text) as OpenApiDocument;
const LOADED = { style: 'style.css', script: 'script.js' };
const page = toPage(document, LOADED);

/** The part of the page about an operation. */
const partOf = (operationId: string) => page.split(`<article id="${operationId}"`)[1]?.split('</article>')[0] ?? '';

const escaped = (value: string) => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

describe('the page', () => {
  it.each(endpointsOf(document).map((endpoint) => [endpoint.operationId, endpoint] as const))(
    'shows %s with its address, parameters, answers and examples, and links to it (R-140)',
    (operationId, { method, path, parameters = [], responses, requestBody, summary }) => {
      const part = partOf(operationId);
      expect(page).toContain(`<a href="#${operationId}">`);
      for (const shown of [method, path, escaped(summary)]) expect(part).toContain(shown);
      for (const { name } of parameters) expect(part).toContain(`<code class="field-name">${name}</code>`);
      for (const status of Object.keys(responses)) expect(part).toContain(`>${status}</span>`);
      const sent = requestBody?.content['application/json'];
      for (const name of Object.keys(sent?.examples ?? {})) expect(part).toContain(`data-example="${name}"`);
      for (const language of ['curl', 'JavaScript', 'Python']) expect(part).toContain(`data-language="${language}"`);
    },
  );

  it('names every field of every schema, with what it may be', () => {
    const fields = Object.values(document.components.schemas).flatMap(({ properties = {} }) => Object.keys(properties));
    expect(fields.length).toBeGreaterThan(200);
    expect(fields.filter((name) => !page.includes(`<code class="field-name">${name}</code>`))).toEqual([]);
    const customers = partOf('upsertCustomers');
    expect(customers).toContain('array of Customer, at most 1,000 elements');
    expect(customers).toMatch(/Name<\/code> <span class="type">string or null, at most 100 characters<\/span>/);
    expect(partOf('upsertProducts')).toMatch(/Sku<\/code> .*?<span class="required">required<\/span>/);
  });

  it('says every message of every refusal', () => {
    for (const { operationId, responses } of endpointsOf(document))
      for (const { content } of Object.values(responses))
        for (const { summary = '' } of Object.values(content['application/json']?.examples ?? {}))
          expect(partOf(operationId)).toContain(escaped(summary).replace(/`([^`]+)`/g, '<code>$1</code>'));
  });

  it('has each id once', () => {
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(ids.length).toBeGreaterThan(27);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is the same for the same document', () => {
    expect(toPage(JSON.parse(text) as OpenApiDocument, LOADED)).toBe(page);
  });

  it('takes a text for nothing else, whatever is in it', () => {
    const hostile = '</code></script><script>alert(1)</script>" onclick="x&';
    const changed = JSON.parse(text, (name, value: unknown) =>
      ['description', 'summary', 'message', 'title', 'Name', 'pattern'].includes(name) && typeof value === 'string'
        ? hostile
        : value,
    ) as OpenApiDocument;
    const shown = toPage(changed, LOADED);
    expect(shown).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot; onclick=&quot;x&amp;');
    expect(shown).not.toContain('<script>alert');
    expect(shown).not.toContain('" onclick="');
  });

  it('is not made of a document that refers to what it does not have', () => {
    const { Customer: _, ...schemas } = document.components.schemas;
    const broken = { ...document, components: { ...document.components, schemas } };
    expect(() => toPage(broken, LOADED)).toThrow('The document has no #/components/schemas/Customer.');
  });
});
