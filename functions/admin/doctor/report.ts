import { toTerminalText } from '../terminal-json';
import type { Finding, Verdict } from './area';

/** The colours of verdicts, as the numbers of their escape sequences: green, red, yellow. */
const COLOURS: Readonly<Record<Verdict, number>> = { ok: 32, wrong: 31, unknown: 33 };
const BOLD = 1;

/** Of the column of verdicts. */
const WIDTH = 'unknown'.length;

/** What all findings come to: something wrong weighs more than what could not be looked at. */
export function verdictOf(findings: readonly Finding[]): Verdict {
  const has = (verdict: Verdict) => findings.some((finding) => finding.verdict === verdict);
  return has('wrong') ? 'wrong' : has('unknown') ? 'unknown' : 'ok';
}

/**
 * A table of the findings by area, and what they come to. What mends a finding is below it; what mends several in a row
 * is below the last one. No character is one that a terminal obeys.
 */
export function toReport(findings: readonly Finding[], isColoured: boolean): string {
  const paint = (text: string, colour: number) => (isColoured ? `\u001b[${colour}m${text}\u001b[0m` : text);
  const lines = findings.flatMap(({ area, verdict, what, remedy }, index) => {
    const [before, after] = [findings[index - 1], findings[index + 1]];
    const isLast = after?.area !== area || after.remedy !== remedy;
    return [
      ...(before?.area === area ? [] : [paint(area, BOLD)]),
      `  ${paint(verdict.padEnd(WIDTH), COLOURS[verdict])}  ${toTerminalText(what)}`,
      ...(remedy !== undefined && isLast ? [`  ${' '.repeat(WIDTH)}  → ${toTerminalText(remedy)}`] : []),
    ];
  });
  return `${[...lines, '', toSummary(findings)].join('\n')}\n`;
}

function toSummary(findings: readonly Finding[]): string {
  const count = (verdict: Verdict) => findings.filter((finding) => finding.verdict === verdict).length;
  const [wrong, unknown] = [count('wrong'), count('unknown')];
  if (wrong + unknown === 0) return 'All is well.';
  const parts = [
    ...(wrong > 0 ? [`${wrong} ${wrong === 1 ? 'thing is' : 'things are'} wrong`] : []),
    ...(unknown > 0 ? [`${unknown} could not be looked at`] : []),
  ];
  return `${parts.join(', ')}.`;
}
