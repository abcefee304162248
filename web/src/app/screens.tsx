import { type ComponentType, lazy } from 'react';
import { invitationStrings } from '../strings/invitation.ts';
import { accountPlace, type Place, places, tabCount } from './places.ts';

export interface Screen extends Place {
  /** A react-router pattern below `/`. */
  path: string;
  Content: ComponentType;
  /** Loads its code ahead of time, so that the screen appears at once. */
  preload(): Promise<void>;
}

function screen(place: Place, load: () => Promise<{ Screen: ComponentType }>, more = ''): Screen {
  let Loaded: ComponentType | undefined;
  const keep = async () => {
    Loaded = (await load()).Screen;
    return { default: Loaded };
  };
  const Later = lazy(keep);
  return {
    ...place,
    path: place.href.slice(1) + more,
    Content: () => (Loaded ? <Loaded /> : <Later />),
    preload: () =>
      keep().then(
        () => {},
        () => {},
      ),
  };
}

/** The console's table of contents, in the order of the navigation. Each screen is loaded when first opened. */
export const screens = [
  screen(places.notes, () => import('../screens/notes/index.tsx'), '/:id?'),
  screen(places.transcribe, () => import('../screens/transcribe/index.tsx')),
  screen(places.history, () => import('../screens/history/index.tsx'), '/:id?'),
  screen(places.dictionary, () => import('../screens/dictionary/index.tsx')),
  screen(places.snippets, () => import('../screens/snippets/index.tsx')),
  screen(places.usage, () => import('../screens/usage/index.tsx')),
  screen(places.keys, () => import('../screens/keys/index.tsx')),
  screen(places.workspaces, () => import('../screens/workspaces/index.tsx'), '/:id?'),
] as const;

export const accountScreen = screen(accountPlace, () => import('../screens/account/index.tsx'));

/** Opened by a link from an e-mail. */
export const invitationScreen = screen(
  { href: '/invitations', label: invitationStrings.title, icon: 'team' },
  () => import('../screens/invitation/index.tsx'),
  '/:token',
);

export const phoneScreens = screens.slice(0, tabCount);

export const screenAt = (path: string) =>
  path === '/' ? screens[0] : screens.find(({ href }) => path === href || path.startsWith(`${href}/`));
