/** Moving between pages without loading the application again. */
import { useEffect, useState } from 'preact/hooks';
import type { Address } from './address';
import { parseAddress, ROOT } from './address';

const MOVED = 'console-moved';

/** Goes to another page, from which the browser's back button returns. */
export function go(link: string): void {
  history.pushState(null, '', link);
  dispatchEvent(new Event(MOVED));
}

/** Changes the address of this page, without a step in the history. */
export function replaceWith(link: string): void {
  history.replaceState(null, '', link);
  dispatchEvent(new Event(MOVED));
}

/** The address now, and whenever it changes. */
export function useAddress(): Address {
  const [address, setAddress] = useState(currentAddress);
  useEffect(() => {
    const update = () => setAddress(currentAddress());
    const events = [MOVED, 'popstate'];
    for (const event of events) addEventListener(event, update);
    return () => {
      for (const event of events) removeEventListener(event, update);
    };
  }, []);
  return address;
}

/** Follows links to pages of the console here. Others, and those for a new tab, are the browser's. */
export function followLinks(): void {
  addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    if (!link || !isPlain || event.defaultPrevented || link.target !== '' || link.hasAttribute('download')) return;
    if (link.origin !== location.origin || !`${link.pathname}/`.startsWith(`${ROOT}/`)) return;
    event.preventDefault();
    go(link.href);
  });
}

function currentAddress(): Address {
  return parseAddress(location.pathname, location.hash);
}
