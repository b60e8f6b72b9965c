/** Breaking changes that `redocly diff` does not count, because other services can make them. */
import type { BreakingChange, ComparedDocument, ComparedOperation, ComparedSchema } from './breaking-change';

/** The breaking changes between two documents. */
export function ownComparison(base: ComparedDocument, revision: ComparedDocument): BreakingChange[] {
  const after = operationsOf(revision);
  const ofOperations = [...operationsOf(base)].flatMap(([operationId, before]) => {
    const now = after.get(operationId);
    if (!now) return []; // redocly says that it is removed, or named anew
    return [...newRules(before, now), ...lostFields(before, now, base, revision)].map((message) => ({
      subject: operationId,
      message,
    }));
  });
  return [...lostNames(base, revision), ...ofOperations];
}

/** Generated clients name their types as the document names its schemas. */
function lostNames(base: ComparedDocument, revision: ComparedDocument): BreakingChange[] {
  const names = Object.keys(base.components?.schemas ?? {});
  const now = revision.components?.schemas ?? {};
  return names
    .filter((name) => !(name in now))
    .map((name) => ({ subject: name, message: `The schema \`${name}\` was removed or named anew.` }));
}

/** What was taken is refused, for a reason that no schema tells. */
function newRules(before: ComparedOperation, now: ComparedOperation): string[] {
  const known = before['x-rules']?.map(({ message }) => message) ?? [];
  const added = (now['x-rules'] ?? []).filter(({ message }) => !known.includes(message));
  return added.map(({ message }) => `There is a new rule: ${message}`);
}

/** A field that is no longer known is ignored: what is sent in it is lost. */
function lostFields(
  before: ComparedOperation,
  now: ComparedOperation,
  base: ComparedDocument,
  revision: ComparedDocument,
): string[] {
  const left = bodyFields(now, revision);
  const lost = bodyFields(before, base).filter((field) => !left.includes(field));
  return lost.map((field) => `The field \`${field}\` of the body was removed.`);
}

function operationsOf({ paths }: ComparedDocument): Map<string, ComparedOperation> {
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  return new Map(operations.map((operation) => [operation.operationId, operation]));
}

/** `OrderItems.Sku` */
function bodyFields({ requestBody }: ComparedOperation, document: ComparedDocument): string[] {
  return Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => fieldsOf(schema, document));
}

function fieldsOf(schema: ComparedSchema, document: ComparedDocument): string[] {
  const { properties = {}, items } = resolve(schema, document);
  const own = Object.entries(properties).flatMap(([name, member]) => {
    return [name, ...fieldsOf(member, document).map((field) => `${name}.${field}`)];
  });
  return [...own, ...(items ? fieldsOf(items, document) : [])];
}

function resolve(schema: ComparedSchema, { components }: ComparedDocument): ComparedSchema {
  const name = schema.$ref?.replace('#/components/schemas/', '');
  return name === undefined ? schema : (components?.schemas?.[name] ?? {});
}
