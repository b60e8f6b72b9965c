/**
 * True when the trimmed text has one `@` with text on both sides and no white space (D-17). Anything stricter would
 * refuse mailboxes that exist.
 */
export function isEmail(text: string): boolean {
  const email = text.trim();
  const at = email.indexOf('@');
  return at > 0 && at === email.lastIndexOf('@') && at < email.length - 1 && !/\s/.test(email);
}
