import { differencesOfNamed } from '../compare';
import type { Demo, DemoTenant } from '../context';
import { forBoth } from '../context';
import type { Fields } from '../fields';
import { KINDS } from '../fields';
import type { OddCase } from '../shop/odd-cases';
import { ODD_CASES } from '../shop/odd-cases';
import { storedRecord } from '../stored-records';

/** Columns of a line of details. */
const WIDTH = 100;

/** Looks up the odd records one by one, and shows what is stored of them. */
export async function showOddCases(demo: Demo): Promise<void> {
  demo.report.progress('Looking at the odd records');
  const rows = await Promise.all(ODD_CASES.map((odd) => showCase(demo, odd)));
  for (const kind of KINDS) {
    demo.report.chapter(`Odd but valid: ${kind}`);
    demo.report.table([], rows.filter((_, i) => ODD_CASES[i]?.kind === kind)); // prettier-ignore
  }
}

async function showCase(demo: Demo, odd: OddCase) {
  const [aurora, borealis] = await forBoth(demo, (tenant) => lookAt(demo, tenant, odd));
  const isSame = aurora.shown.join() === borealis.shown.join();
  const details = isSame
    ? lines('both', aurora.shown)
    : [...lines('Aurora', aurora.shown), ...lines('Borealis', borealis.shown)];
  return { cells: [odd.note], problems: [...aurora.problems, ...borealis.problems], details };
}

async function lookAt(demo: Demo, tenant: DemoTenant, odd: OddCase): Promise<{ shown: string[]; problems: string[] }> {
  const stored = await storedRecord(demo, tenant, odd);
  const expected = odd.stored[tenant.name];
  return {
    shown: show(odd, stored),
    problems: problemsOf(expected, stored).map((problem) => `${tenant.title}: ${problem}`),
  };
}

function problemsOf(expected: Fields | null, stored: Fields | null): string[] {
  if (expected && stored) return differencesOfNamed(expected, stored);
  if (expected) return ['the record is not stored'];
  return stored ? ['a record is stored that should not be'] : [];
}

/** The fields that the case is about. */
function show({ find, stored: expected }: OddCase, stored: Fields | null): string[] {
  if (!stored) return [`nothing stored as ${Object.values(find).join(', ')}`];
  return Object.keys(expected.aurora ?? expected.borealis ?? {}).flatMap((field) => showField(field, stored[field]));
}

function showField(field: string, value: unknown): string | string[] {
  if (field === 'ProductVariants') return showParts('variants', value as readonly Fields[], showVariant);
  if (field === 'OrderItems') return showParts('items', value as readonly Fields[], showItem);
  if (value === undefined) return `no ${field}`;
  return `${field} ${JSON.stringify(value)}`;
}

function showParts(title: string, parts: readonly Fields[], showPart: (part: Fields) => string): string[] {
  return parts.length === 0 ? [`no ${title}`] : [`${title}:`, ...parts.map(showPart)];
}

function showVariant({ VariantId, Sku, Size, SizeNumeric, SizeMetric }: Fields): string {
  if (Size === undefined) return `${String(VariantId)} with Sku ${String(Sku)}`;
  return `${JSON.stringify(Size)} → ${JSON.stringify(SizeNumeric)} ${JSON.stringify(SizeMetric)}`;
}

function showItem({ Sku, Quantity, Price }: Fields): string {
  return `${String(Quantity)} × ${String(Sku)} at ${String(Price)}`;
}

/** As many pieces on each line as fit; the first line begins with the title. */
function lines(title: string, pieces: readonly string[]): string[] {
  const texts: string[] = [];
  for (const piece of pieces) {
    const last = texts.at(-1);
    if (last === undefined || last.length + piece.length > WIDTH) texts.push(piece);
    else texts[texts.length - 1] = `${last}  ${piece}`;
  }
  return texts.map((text, i) => `${(i === 0 ? title : '').padEnd(10)}${text}`);
}
