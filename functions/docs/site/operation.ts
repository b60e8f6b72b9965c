/** One operation: what it does and takes, what it answers, samples, and a form to try it. */
import { answers } from './answers';
import { code } from './code';
import type { Endpoint, OpenApiDocument } from './document';
import type { Content, Html } from './html';
import { markup } from './html';
import { inline, markdown } from './markdown';
import type { ExampleRequest } from './requests';
import { requestsOf } from './requests';
import type { Language } from './samples';
import { LANGUAGES } from './samples';
import { body, field } from './schema';
import { tryIt } from './try-it';

/** What all operations share. */
export interface Shared {
  readonly document: OpenApiDocument;
  readonly keyHeader: string;
  readonly commonHeaders: readonly string[];
}

export function operation(endpoint: Endpoint, { document, keyHeader, commonHeaders }: Shared): Html {
  const { operationId, method, path, summary, description, parameters = [], requestBody } = endpoint;
  const sent = requestBody?.content['application/json'];
  return markup`<article id="${operationId}" class="operation" aria-labelledby="${operationId}-title">
<h3 id="${operationId}-title"><a href="#${operationId}">${summary}</a></h3>
<p class="address">${methodBadge(method)} <code>${path}</code> <span class="name">${operationId}</span></p>
<div class="columns"><div class="reading">${markdown(description)}
${
  parameters.length > 0 &&
  markup`<h4>Parameters</h4><ul class="parameters">${parameters.map(
    ({ name, in: place, description: text, required = false, schema }) =>
      field(name, { ...schema, description: `In the ${place}. ${text ?? ''}` }, required, document),
  )}</ul>`
}
${requestBody && sent && markup`<h4>Body</h4><p>${inline(requestBody.description)}</p>${body(sent.schema, document, true)}`}
<h4>Answers</h4>${answers(endpoint, document, commonHeaders)}</div>
<div class="trying">${samples(endpoint, keyHeader)}${tryIt(endpoint, keyHeader)}</div></div></article>
`;
}

export function methodBadge(method: string): Html {
  return markup`<span class="method ${method.toLowerCase()}">${method}</span>`;
}

/** All samples; the first one shows, and the script lets a person choose. */
function samples(endpoint: Endpoint, keyHeader: string): Html {
  const requests = requestsOf(endpoint);
  const languages = Object.keys(LANGUAGES) as Language[];
  const all = requests.flatMap((request, at) =>
    languages.map((language, place) => sample(request, language, keyHeader, at + place === 0)),
  );
  return markup`<section class="samples" aria-label="Samples of ${endpoint.operationId}"><div class="bar"><h4>Samples</h4><div class="languages" role="group" aria-label="Language" hidden>${languages.map(
    (language, at) =>
      markup`<button type="button" data-language="${language}" aria-pressed="${at === 0 ? 'true' : 'false'}">${language}</button>`,
  )}</div></div>${chooser(requests)}${all}</section>`;
}

function chooser(requests: readonly ExampleRequest[]): Content {
  return markup`<label class="chooser" hidden${requests.length === 1 && markup` data-single`}>Example <select data-example>${requests.map(
    ({ name, summary, parameters, body: sent }) =>
      markup`<option value="${name}" data-parameters="${JSON.stringify(parameters)}"${
        sent !== undefined && markup` data-body="${JSON.stringify(sent)}"`
      }>${summary}</option>`,
  )}</select></label>`;
}

function sample(request: ExampleRequest, language: Language, keyHeader: string, isShown: boolean): Html {
  return markup`<div class="sample" data-language="${language}" data-example="${request.name}"${!isShown && markup` hidden`}>${code(
    LANGUAGES[language](request, keyHeader),
  )}<button type="button" class="copy" hidden>Copy</button></div>`;
}
