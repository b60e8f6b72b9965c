/** An entry of the changelog that tells of breaking changes: `- **Breaking:** …`, with its further lines. */
const ENTRY = /^- \*\*Breaking:\*\*.*(?:\n {2}.*)*/gm;

/** What is said to be broken since the last release: what is `in ticks` in such entries of the first section. */
export function announcedBreaks(changelog: string): ReadonlySet<string> {
  const [, unreleased = ''] = changelog.split(/^## /m);
  const entries = unreleased.match(ENTRY) ?? [];
  return new Set(entries.flatMap((entry) => [...entry.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)));
}
