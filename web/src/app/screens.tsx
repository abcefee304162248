import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { strings } from '../strings.ts';
import type { IconName } from '../ui/icon.tsx';

export interface Screen {
  /** A react-router pattern below `/`. */
  path: string;
  /** Where the navigation leads. */
  href: string;
  label: string;
  icon: IconName;
  Content: LazyExoticComponent<ComponentType>;
  /** Loads its code ahead of time. */
  preload(): void;
}

const screen = (
  name: string,
  label: string,
  icon: IconName,
  load: () => Promise<{ Screen: ComponentType }>,
  path = name,
): Screen => ({
  path,
  href: `/${name}`,
  label,
  icon,
  Content: lazy(async () => ({ default: (await load()).Screen })),
  preload: () => void load().catch(() => {}),
});

const { nav } = strings;

/** The console's table of contents, in the order of the navigation. Each screen is loaded when first opened. */
export const screens = [
  screen('notes', nav.notes, 'note', () => import('../screens/notes/index.tsx'), 'notes/:id?'),
  screen('transcribe', nav.transcribe, 'mic', () => import('../screens/transcribe/index.tsx')),
  screen('history', nav.history, 'history', () => import('../screens/history/index.tsx'), 'history/:id?'),
  screen('dictionary', nav.dictionary, 'book', () => import('../screens/dictionary/index.tsx')),
  screen('snippets', nav.snippets, 'snippet', () => import('../screens/snippets/index.tsx')),
  screen('usage', nav.usage, 'chart', () => import('../screens/usage/index.tsx')),
  screen('keys', nav.keys, 'key', () => import('../screens/keys/index.tsx')),
  screen(
    'workspaces',
    nav.workspaces,
    'team',
    () => import('../screens/workspaces/index.tsx'),
    'workspaces/:id?',
  ),
] as const;

export const accountScreen = screen(
  'account',
  nav.account,
  'person',
  () => import('../screens/account/index.tsx'),
);

/** Opened by a link that somebody was sent. */
export const invitationScreen = screen(
  'invitations',
  strings.invitation.title,
  'team',
  () => import('../screens/invitation/index.tsx'),
  'invitations/:token',
);

/** The words that Steno knows, and what concerns the account, stand apart from the notes. */
export const groupStarts: ReadonlySet<string> = new Set(['/dictionary', '/usage']);

/** On phones these are in the tab bar; the rest is behind "More". */
export const phoneScreens = screens.slice(0, 3);
