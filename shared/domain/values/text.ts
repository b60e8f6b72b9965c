/** True for a text with at least one character that is not white space. */
export function isPresent(value: string | null | undefined): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** The text; null when it is absent or blank. A blank id of a deletion counts as not sent (Spec §4.3). */
export function presentOrNull(value: string | null | undefined): string | null {
  return isPresent(value) ? value : null;
}

/** The form in which e-mail addresses are compared: trimmed and lower-cased (D-01). */
export function toMatchingEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** The form in which identifiers other than e-mail are compared: trimmed, otherwise exact (D-01). */
export function toMatchingId(id: string): string {
  return id.trim();
}

/** Whether a text has at most this many Unicode characters, which is how the bounds of fields count. */
export function hasAtMost(text: string, characters: number): boolean {
  // A character takes one or two UTF-16 code units.
  return text.length <= characters || (text.length <= 2 * characters && Array.from(text).length <= characters);
}
