/** The form that sends a request of an operation. The script shows it, and sends what is in it. */
import type { Endpoint, Parameter } from './document';
import { plainText } from './document';
import type { Content, Html } from './html';
import { markup } from './html';

/** Headers that the browser sets, or that would say something untrue of what it sends. */
const UNSENT_HEADERS: readonly string[] = ['Content-Encoding'];

export function tryIt(endpoint: Endpoint, keyHeader: string): Html {
  const { operationId, method, path, parameters = [], requestBody, responses } = endpoint;
  const types = Object.keys(responses['200']?.content ?? {});
  const shown = parameters.filter(({ name }) => !UNSENT_HEADERS.includes(name));
  return markup`<form class="try" hidden data-method="${method}" data-path="${path}" data-key-header="${keyHeader}" aria-label="Try ${operationId}"><h4>Try it</h4>
<p class="hint">Sends a real request. The key stays in this page's memory and is gone when you leave.</p>
<label>Key <input type="password" data-shared="key" autocomplete="off" spellcheck="false" required></label>
${shown.map((parameter) => markup`${input(parameter)}\n`)}${
    types.length > 1 &&
    markup`<label>Answer as <select data-accept>${types.map((type) => markup`<option>${type}</option>`)}</select></label>\n`
  }${requestBody && markup`<label>Body <textarea data-body rows="10" spellcheck="false" autocomplete="off"></textarea></label>\n`}<div class="bar"><button type="submit" class="send">Send ${method}</button></div>
<p class="outcome" role="status"></p><div class="result"></div></form>`;
}

function input({ name, in: place, required = false, schema }: Parameter): Html {
  const attributes: Content = markup`data-parameter="${name}" data-in="${place}"${name === 'tenantId' && markup` data-shared="tenantId"`}${required && markup` required`}`;
  const title = markup`<span><code>${name}</code>${!required && markup` <span class="optional">optional</span>`}</span>`;
  if (schema.enum)
    return markup`<label>${title} <select ${attributes}><option value=""></option>${schema.enum.map((each) => markup`<option>${plainText(each)}</option>`)}</select></label>`;
  const isNumber = schema.type === 'integer';
  return markup`<label>${title} <input type="${isNumber ? 'number' : 'text'}" ${attributes}${
    isNumber && markup` min="${schema.minimum}" max="${schema.maximum}"`
  } autocomplete="off" spellcheck="false"></label>`;
}
