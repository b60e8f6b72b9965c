/** Text that is HTML already. Anything else is escaped when it becomes a part of it. */
export class Html {
  constructor(readonly text: string) {}
}

export type Content = Html | string | number | false | undefined | readonly Content[];

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A template of HTML. False and undefined are nothing; attributes are written in double quotation marks. */
export function markup(parts: TemplateStringsArray, ...contents: readonly Content[]): Html {
  return new Html(parts.map((part, index) => part + toText(contents[index])).join(''));
}

function toText(content: Content): string {
  if (content === undefined || content === false) return '';
  if (content instanceof Html) return content.text;
  if (typeof content === 'object') return content.map(toText).join('');
  return String(content).replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '');
}
