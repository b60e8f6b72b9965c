import { toTerminalText } from '../terminal-json';
import type { Finding, Verdict } from './area';

/** The colours of verdicts, as the numbers of their escape sequences: green, red, yellow. */
const COLOURS: Readonly<Record<Verdict, number>> = { well: 32, wrong: 31, unknown: 33 };
const BOLD = 1;

/** What all findings come to: something wrong weighs more than what could not be looked at. */
export function verdictOf(findings: readonly Finding[]): Verdict {
  const has = (verdict: Verdict) => findings.some((finding) => finding.verdict === verdict);
  return has('wrong') ? 'wrong' : has('unknown') ? 'unknown' : 'well';
}

/** A table of the findings by area, a line for each, and what they come to. No character is one that a terminal obeys. */
export function toReport(findings: readonly Finding[], isColoured: boolean): string {
  const paint = (text: string, colour: number) => (isColoured ? `\u001b[${colour}m${text}\u001b[0m` : text);
  const lines: string[] = [];
  let area = '';
  for (const finding of findings) {
    if (finding.area !== area) lines.push(paint(finding.area, BOLD));
    area = finding.area;
    const remedy = finding.remedy === undefined ? '' : `  → ${toTerminalText(finding.remedy)}`;
    const verdict = paint(finding.verdict.padEnd('unknown'.length), COLOURS[finding.verdict]);
    lines.push(`  ${verdict}  ${toTerminalText(finding.what)}${remedy}`);
  }
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
