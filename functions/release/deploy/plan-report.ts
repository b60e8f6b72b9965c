import type { Origin } from '../release';

/** The parts of Terraform's JSON of a plan that are told. */
export interface Plan {
  readonly resource_changes?: readonly ResourceChange[];
}

export interface ResourceChange {
  readonly address: string;
  readonly change: {
    /** `no-op`, `read`, `create`, `update` or `delete`; two for a replacement. */
    readonly actions: readonly string[];
    readonly before: Readonly<Record<string, unknown>> | null;
    readonly after: Readonly<Record<string, unknown>> | null;
    /** What is known after the apply only. */
    readonly after_unknown: Readonly<Record<string, unknown>>;
  };
}

/** A comment on GitHub has at most 65,536 characters; the rest is for the lines around these. */
const MAX_CHARACTERS = 60_000;

/**
 * A plan in Markdown: what is done to which resource, and the names of the attributes that change. Values are left out,
 * because whoever reads the repository reads it, too, and they have addresses of people and projects.
 */
export function toPlanReport({ release, commit }: Origin, environment: string, plan: Plan): string {
  const changes = (plan.resource_changes ?? []).filter(({ change }) => !/^(no-op|read)$/.test(change.actions.join()));
  const title = `### Plan: ${release} to ${environment}\n\n${release} is ${commit}.`;
  if (changes.length === 0) return `${title} Nothing changes.\n`;
  const rows = changes.map(({ address, change }) => {
    const attributes = change.before && change.after ? changedAttributes(change) : [];
    return `| ${change.actions.join(', then ')} | \`${address}\` | ${attributes.join(', ')} |\n`;
  });
  const fitting = rowsThatFit(rows);
  const head = `${title} ${changes.length} resources change.\n\n| what is done | resource | attributes |\n|---|---|---|\n`;
  const rest = rows.length - fitting.length;
  return head + fitting.join('') + (rest > 0 ? `\n${rest} more are in the log of the job.\n` : '');
}

function changedAttributes({ before, after, after_unknown: unknown }: ResourceChange['change']): string[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  const isChanged = (name: string) =>
    isUnknown(unknown[name]) || JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name]);
  return [...names].filter(isChanged).sort();
}

/** Objects and lists tell of their members; an empty one has none that is unknown. */
function isUnknown(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === true;
  return Object.values(value).some(isUnknown);
}

function rowsThatFit(rows: readonly string[]): readonly string[] {
  let characters = 0;
  const end = rows.findIndex((row) => (characters += row.length) > MAX_CHARACTERS);
  return end === -1 ? rows : rows.slice(0, end);
}
