/**
 * True when the trimmed text has exactly one `@`, text on both sides of it, and no white space (D-17). A stricter check
 * would refuse mailboxes that exist.
 */
export function isEmail(text: string): boolean {
  const email = text.trim();
  const at = email.indexOf('@');
  return at > 0 && at === email.lastIndexOf('@') && at < email.length - 1 && !/\s/.test(email);
}
