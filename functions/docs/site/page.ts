/** The page: an introduction, and all operations by their tags. It can be read without its script. */
import { commonHeadersOf } from './answers';
import type { Endpoint, OpenApiDocument, Schema } from './document';
import { endpointsOf, resolve } from './document';
import type { Html } from './html';
import { markup } from './html';
import { inline, markdown } from './markdown';
import { methodBadge, operation } from './operation';
import { field } from './schema';

/** The names of what the page loads. */
export interface Loaded {
  readonly style: string;
  readonly script: string;
}

/** @throws Error where the document refers to what it does not have */
export function toPage(document: OpenApiDocument, { style, script }: Loaded): string {
  const { info, tags } = document;
  const endpoints = endpointsOf(document);
  const commonHeaders = commonHeadersOf(endpoints);
  const keyHeader = Object.values(document.components.securitySchemes)[0]?.name ?? '';
  const shared = { document, keyHeader, commonHeaders };
  const ofTag = (name: string) => endpoints.filter((endpoint) => endpoint.tags.includes(name));
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${info.title}: API reference</title>
<link rel="icon" type="image/svg+xml" href="/docs/icon.svg">
<link rel="stylesheet" href="/docs/${style}">
<script src="/docs/${script}" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="top"><a class="title" href="#introduction">${info.title}</a> <span class="version">version ${info.version}</span>
<button type="button" class="menu" aria-expanded="false" aria-controls="navigation" hidden>Operations</button>
<span class="files"><a href="/docs/openapi.json">openapi.json</a> <a href="/docs/openapi.yaml">openapi.yaml</a></span></header>
<nav id="navigation" aria-label="Operations">
<div class="filter" role="search" hidden><label for="filter">Filter operations</label><input id="filter" type="search" autocomplete="off" spellcheck="false" placeholder="A path, a name or a field"><p class="found" role="status"></p></div>
<ul><li><a href="#introduction">Introduction</a></li><li><a href="#headers">Headers of answers</a></li></ul>
${tags.map(({ name }) => markup`<section><h2>${name}</h2><ul>${ofTag(name).map((endpoint) => link(endpoint, document))}</ul></section>`)}
</nav>
<main id="content" tabindex="-1">
<section id="introduction"><h1>${info.title}: API reference</h1><div class="text">${markdown(info.description)}</div>
<noscript><p>Samples in other languages, the filter and “Try it” need JavaScript.</p></noscript></section>
<section id="headers"><h2>Headers of answers</h2><p>Every answer has these. Others are named where they occur.</p><ul class="parameters">${commonHeaders.map((name) => headerField(name, document))}</ul></section>
${tags.map(
  ({ name, description }) =>
    markup`<section id="${tagId(name)}" class="tag"><h2>${name}</h2><p>${inline(description)}</p>\n${ofTag(name).map((endpoint) => operation(endpoint, shared))}</section>`,
)}
</main>
</body>
</html>
`.text;
}

function tagId(name: string): string {
  return `tag-${name.toLowerCase()}`;
}

function link(endpoint: Endpoint, document: OpenApiDocument): Html {
  const { operationId, method, summary } = endpoint;
  return markup`<li data-search="${wordsOf(endpoint, document)}"><a href="#${operationId}">${methodBadge(method)} <span>${summary}</span></a></li>`;
}

/** What the filter finds an operation by: its name, address and summary, its parameters, and the fields of its body. */
function wordsOf(endpoint: Endpoint, document: OpenApiDocument): string {
  const { operationId, method, path, summary, tags, parameters = [], requestBody } = endpoint;
  const sent = requestBody?.content['application/json']?.schema;
  const words = [operationId, method, path, summary, ...tags, ...parameters.map(({ name }) => name)];
  return [...words, ...(sent ? fieldNames(sent, document) : [])].join(' ').toLowerCase();
}

function fieldNames(schema: Schema, document: OpenApiDocument): string[] {
  const { properties = {}, items } = resolve(schema, document);
  const names = Object.entries(properties).flatMap(([name, property]) => [name, ...fieldNames(property, document)]);
  return items ? [...names, ...fieldNames(items, document)] : names;
}

function headerField(name: string, document: OpenApiDocument): Html {
  const header = document.components.headers[name];
  if (!header) throw new Error(`The document has no header ${name}.`);
  return field(name, { ...header.schema, description: header.description }, false, document);
}
