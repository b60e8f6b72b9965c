/** The colours: those of the system, or the ones that a person has chosen for this browser. */
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const NAME = 'console-theme';

/** Where the browser stores nothing for this site, the choice lasts as long as the page. */
let chosen: string | null | undefined;

export function currentTheme(): Theme {
  if (chosen === undefined) inStorage((storage) => (chosen = storage.getItem(NAME)));
  return THEMES.find((theme) => theme === chosen) ?? 'system';
}

export function chooseTheme(theme: Theme): void {
  chosen = theme;
  inStorage((storage) => (theme === 'system' ? storage.removeItem(NAME) : storage.setItem(NAME, theme)));
  applyTheme();
}

function inStorage(work: (storage: Storage) => void): void {
  try {
    work(localStorage);
  } catch {
    // the browser is told to store nothing
  }
}

export function applyTheme(): void {
  document.documentElement.dataset['theme'] = currentTheme();
}
