import type { FieldErrors } from '../errors';

/** `[3].Name`, `[3]` */
const ELEMENT_PATH = /^\[(\d+)\]\.?(.*)$/s;

/** A rule about a whole element is at the empty path: `Element [7]: at least one of …` */
const ELEMENT_MESSAGE = /^Element \[(\d+)\]: (.*)$/s;

/** The errors of a refused batch by the index of their element. Those about the whole body are left out. */
export function errorsByElement(errors: FieldErrors): Map<number, FieldErrors> {
  const byElement = new Map<number, Record<string, readonly string[]>>();
  const add = (place: string, path: string, messages: readonly string[]) => {
    const ofElement = byElement.get(Number(place)) ?? {};
    byElement.set(Number(place), { ...ofElement, [path]: [...(ofElement[path] ?? []), ...messages] });
  };
  for (const [path, messages] of Object.entries(errors)) {
    const [, place, rest = ''] = ELEMENT_PATH.exec(path) ?? [];
    if (place !== undefined) add(place, rest, messages);
    else if (path === '') {
      for (const message of messages) {
        const [, named, text = ''] = ELEMENT_MESSAGE.exec(message) ?? [];
        if (named !== undefined) add(named, '', [capitalized(text)]);
      }
    }
  }
  return byElement;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
