/** The elements that a selector names, in the page's order. */
export function all<Found extends HTMLElement>(selector: string, within: ParentNode = document): Found[] {
  return [...within.querySelectorAll<Found>(selector)];
}

/** The element that a selector names. @throws Error where the page has none */
export function one<Found extends HTMLElement>(selector: string, within: ParentNode = document): Found {
  const found = within.querySelector<Found>(selector);
  if (!found) throw new Error(`The page has no ${selector}.`);
  return found;
}

/** A new element with a text or with parts. A text is never read as HTML. */
export function element(name: string, className: string, ...parts: readonly (string | Node)[]): HTMLElement {
  const made = document.createElement(name);
  if (className !== '') made.className = className;
  made.append(...parts);
  return made;
}
