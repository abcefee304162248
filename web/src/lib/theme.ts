/** Light, dark, or as the system says. Kept by this browser; signing out leaves it. */
export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const place = 'steno-theme';
const darkSystem = '(prefers-color-scheme: dark)';

export function chosenTheme(): Theme {
  try {
    const kept = localStorage.getItem(place);
    return themes.find((theme) => theme === kept) ?? 'system';
  } catch {
    // The browser allows no storage.
    return 'system';
  }
}

export function chooseTheme(theme: Theme): void {
  try {
    if (theme === 'system') localStorage.removeItem(place);
    else localStorage.setItem(place, theme);
  } catch {
    // It holds until the page is closed.
  }
  showTheme(theme);
}

/** The colours of tokens.css follow `color-scheme`. */
export function showTheme(theme: Theme = chosenTheme()): void {
  const root = document.documentElement;
  if (theme === 'system') delete root.dataset.theme;
  else root.dataset.theme = theme;
  // The bar of a phone's browser. The page has one colour for each scheme of the system.
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name=theme-color]')) {
    meta.dataset.media ??= meta.media;
    const isDark = meta.dataset.media === darkSystem;
    meta.media = theme === 'system' ? meta.dataset.media : isDark === (theme === 'dark') ? 'all' : 'not all';
  }
}

export function isDark(theme: Theme = chosenTheme()): boolean {
  return theme === 'system' ? window.matchMedia(darkSystem).matches : theme === 'dark';
}
