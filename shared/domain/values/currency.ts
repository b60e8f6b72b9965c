/** Codes that the data of some Node.js releases lack. */
const RECENT_CODES = ['SLE', 'VED', 'XCG', 'ZWG'];
const CODES: ReadonlySet<string> = new Set([...Intl.supportedValuesOf('currency'), ...RECENT_CODES]);

/** The ISO 4217 code in upper case; undefined when the text is no current or historic code (D-14). */
export function canonicalCurrency(text: string): string | undefined {
  if (CODES.has(text)) return text;
  const code = text.trim();
  // Only ASCII letters: the upper case of `ſ` is `S`.
  return /^[A-Za-z]{3}$/.test(code) && CODES.has(code.toUpperCase()) ? code.toUpperCase() : undefined;
}
