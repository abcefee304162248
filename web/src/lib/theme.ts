import { remember, remembered } from './remembered.ts';

/** Light, dark, or as the system says. Kept by this browser; signing out leaves it. */
export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const place = 'steno-theme';
const darkSystem = '(prefers-color-scheme: dark)';

export const chosenTheme = (): Theme => themes.find((theme) => theme === remembered(place)) ?? 'system';

export function chooseTheme(theme: Theme): void {
  remember(place, theme === 'system' ? null : theme);
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
