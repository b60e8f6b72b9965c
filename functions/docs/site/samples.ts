/** Examples as code that can be run. The key comes from the environment. */
import { EXAMPLE_BASE_URL } from './code';
import type { Json } from './document';
import type { ExampleRequest } from './requests';

/** The languages by the names that are shown. */
export const LANGUAGES = { curl: toCurl, JavaScript: toJavaScript, Python: toPython } as const;
export type Language = keyof typeof LANGUAGES;

const KEY_VARIABLE = 'INGEST_KEY';
const TIMEOUT_SECONDS = 60;

function toCurl({ method, target, body }: ExampleRequest, keyHeader: string): string {
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} '${EXAMPLE_BASE_URL}${target}'`,
    `-H "${keyHeader}: $${KEY_VARIABLE}"`,
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${shellQuoted(pretty(body))}`]),
  ].join(' \\\n  ');
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function toJavaScript({ method, target, body }: ExampleRequest, keyHeader: string): string {
  const key = `'${keyHeader}': process.env.${KEY_VARIABLE}`;
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    `headers: { ${body === undefined ? key : `${key}, 'Content-Type': 'application/json'`} }`,
    ...(body === undefined ? [] : [`body: JSON.stringify(${indented(pretty(body), 2)})`]),
    `signal: AbortSignal.timeout(${TIMEOUT_SECONDS}_000)`,
  ];
  return `const response = await fetch('${EXAMPLE_BASE_URL}${target}', {
${options.map((option) => `  ${option},\n`).join('')}});
console.log(response.status, await response.json());`;
}

function toPython({ method, target, body }: ExampleRequest, keyHeader: string): string {
  const options = [
    `'${EXAMPLE_BASE_URL}${target}'`,
    `headers={'${keyHeader}': os.environ['${KEY_VARIABLE}']}`,
    ...(body === undefined ? [] : [`json=${indented(python(body), 4)}`]),
    `timeout=${TIMEOUT_SECONDS}`,
  ];
  return `import os
import requests  # pip install requests

response = requests.${method.toLowerCase()}(
${options.map((option) => `    ${option},\n`).join('')})
print(response.status_code, response.json())`;
}

function pretty(value: Json): string {
  return JSON.stringify(value, null, 2);
}

function indented(text: string, blanks: number): string {
  return text.replaceAll('\n', `\n${' '.repeat(blanks)}`);
}

/** A value as Python writes it. Texts are written as in JSON. */
function python(value: Json): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const isList = Array.isArray(value);
  const items = isList
    ? (value as readonly Json[]).map(python)
    : Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${python(member)}`);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  return items.length === 0
    ? open + close
    : `${open}\n${items.map((item) => `  ${indented(item, 2)},\n`).join('')}${close}`;
}
