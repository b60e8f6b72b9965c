/** The colours: those of the system, or the ones that a person has chosen for this browser. */
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const NAME = 'console-theme';

export function currentTheme(): Theme {
  const stored = localStorage.getItem(NAME);
  return THEMES.find((theme) => theme === stored) ?? 'system';
}

export function chooseTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(NAME);
  else localStorage.setItem(NAME, theme);
  applyTheme();
}

export function applyTheme(): void {
  document.documentElement.dataset['theme'] = currentTheme();
}
