const CODES = new Set(Intl.supportedValuesOf('currency'));

/** The ISO 4217 code in upper case; undefined when the text is no current or historic code (D-14). */
export function canonicalCurrency(text: string): string | undefined {
  const code = text.trim().toUpperCase();
  return CODES.has(code) ? code : undefined;
}
