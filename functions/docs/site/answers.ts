/** The answers of an operation by their status. */
import { code } from './code';
import type { Answer, Endpoint, Media, OpenApiDocument } from './document';
import { nameOf } from './document';
import type { Content, Html } from './html';
import { markup } from './html';
import { inline } from './markdown';
import { body } from './schema';

/** @param commonHeaders are described once for all */
export function answers(endpoint: Endpoint, document: OpenApiDocument, commonHeaders: readonly string[]): Html {
  return markup`${Object.entries(endpoint.responses).map(([status, answer]) => {
    const own = Object.values(answer.headers)
      .map(({ $ref }) => nameOf($ref))
      .filter((name) => !commonHeaders.includes(name));
    return markup`<details class="answer"><summary>${statusBadge(status)} ${inline(answer.description)}</summary><div class="inside">${
      own.length > 0 &&
      markup`<p>Headers beside <a href="#headers">those of every answer</a>: ${own.map((name, at) => markup`${at > 0 && ', '}<code>${name}</code>`)}.</p>`
    }${contents(answer, document)}</div></details>`;
  })}`;
}

/** The headers that all answers of all operations have. */
export function commonHeadersOf(endpoints: readonly Endpoint[]): string[] {
  const [first = [], ...others] = endpoints.flatMap(({ responses }) =>
    Object.values(responses).map(({ headers }) => Object.values(headers).map(({ $ref }) => nameOf($ref))),
  );
  return first.filter((name) => others.every((names) => names.includes(name)));
}

function statusBadge(status: string): Html {
  return markup`<span class="status status-${status.charAt(0)}">${status}</span>`;
}

function contents({ content }: Answer, document: OpenApiDocument): Content {
  const types = Object.entries(content);
  return types.map(
    ([type, media]) =>
      markup`${types.length > 1 && markup`<h5><code>${type}</code></h5>`}${body(media.schema, document, false)}${examples(media)}`,
  );
}

/** Refusals differ only in their message, so that one of each form is shown and the other messages are named. */
function examples({ examples: named = {}, example }: Media): Content {
  if (typeof example === 'string') return code(example);
  const forms = new Set<string>();
  const shown: Content[] = [];
  const messages: string[] = [];
  for (const { summary = '', value } of Object.values(named)) {
    const isRefusal = typeof value === 'object' && value !== null && Object.values(value).includes(false);
    const form = isRefusal ? Object.keys(value).join() : summary;
    if (forms.has(form)) messages.push(summary);
    else shown.push(markup`<p class="caption">${inline(summary)}</p>${code(JSON.stringify(value, null, 2))}`);
    forms.add(form);
  }
  return [
    ...shown,
    messages.length > 0 &&
      markup`<p class="caption">Other messages</p><ul>${messages.map((message) => markup`<li>${message}</li>`)}</ul>`,
  ];
}
