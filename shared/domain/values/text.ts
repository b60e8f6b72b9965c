/** True for a text with at least one character that is not white space. */
export function isPresent(value: string | null | undefined): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** The text, or null where it has no value: an id of a deletion that is blank counts as not sent (Spec §4.3). */
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

/** Whether a text has at most so many Unicode characters, as bounds of fields count them. */
export function hasAtMost(text: string, characters: number): boolean {
  // A character takes one or two units of UTF-16.
  return text.length <= characters || (text.length <= 2 * characters && Array.from(text).length <= characters);
}
