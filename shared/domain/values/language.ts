const TAG = /^([a-z]{2,3})(?:-([a-z]{4}))?(?:-([a-z]{2}|\d{3}))?$/i;

/**
 * The canonical form of a language tag `language[-script][-region]`; undefined when the text is none (D-16).
 * @example canonicalLanguage('ZH-hant-tw') // 'zh-Hant-TW'
 */
export function canonicalLanguage(text: string): string | undefined {
  const match = TAG.exec(text.trim());
  if (!match) return undefined;
  const [, language = '', script, region] = match;
  let tag = language.toLowerCase();
  if (script) tag += `-${script.charAt(0).toUpperCase()}${script.slice(1).toLowerCase()}`;
  if (region) tag += `-${region.toUpperCase()}`;
  return tag;
}
