/** True for a text with at least one character that is not white space. */
export function isPresent(value: string | null | undefined): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** The form in which e-mail addresses are compared: trimmed and lower-cased (D-01). */
export function toMatchingEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** The form in which identifiers other than e-mail are compared: trimmed, otherwise exact (D-01). */
export function toMatchingId(id: string): string {
  return id.trim();
}
