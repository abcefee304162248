import { type ComponentType, lazy } from 'react';
import { navStrings } from '../strings/frame.ts';
import { mainPlaces, operatorPlaces, type Place, placesWith, settingsPlaces } from './places.ts';

interface Page {
  /** A pattern for `matchPath`. */
  path: string;
  Content: ComponentType;
  /** Loads its code ahead of time, so that the screen appears at once. */
  preload(): Promise<void>;
}
type Screen = Place & Page;

function page(path: string, load: () => Promise<{ Screen: ComponentType }>): Page {
  let Loaded: ComponentType | undefined;
  const keep = async () => {
    Loaded = (await load()).Screen;
    return { default: Loaded };
  };
  const Later = lazy(keep);
  return {
    path,
    Content: () => (Loaded ? <Loaded /> : <Later />),
    preload: () =>
      keep().then(
        () => {},
        () => {},
      ),
  };
}

const screen = (place: Place, load: () => Promise<{ Screen: ComponentType }>, more = ''): Screen => ({
  ...place,
  ...page(place.href.slice(1) + more, load),
});

/** The console's table of contents, in the order of the navigation. Each screen is loaded when first opened. */
export const mainScreens = [
  screen(mainPlaces.notes, () => import('../screens/notes/index.tsx'), '/:id?'),
  screen(mainPlaces.ask, () => import('../screens/ask/index.tsx'), '/:id?'),
  screen(mainPlaces.transcribe, () => import('../screens/transcribe/index.tsx')),
  screen(mainPlaces.history, () => import('../screens/history/index.tsx'), '/:id?'),
] as const;

export const settingsScreens = [
  screen(settingsPlaces.account, () => import('../screens/account/index.tsx')),
  screen(settingsPlaces.dictionary, () => import('../screens/dictionary/index.tsx')),
  screen(settingsPlaces.snippets, () => import('../screens/snippets/index.tsx')),
  screen(settingsPlaces.language, () => import('../screens/language/index.tsx')),
  screen(settingsPlaces.keys, () => import('../screens/keys/index.tsx')),
  screen(settingsPlaces.usage, () => import('../screens/usage/index.tsx')),
  screen(settingsPlaces.workspaces, () => import('../screens/workspaces/index.tsx'), '/:id?'),
] as const;

export const operatorScreens = [
  screen(operatorPlaces.status, () => import('../screens/operator/status.tsx')),
  screen(operatorPlaces.people, () => import('../screens/operator/people.tsx')),
  screen(operatorPlaces.setup, () => import('../screens/operator/setup.tsx')),
  screen(operatorPlaces.audit, () => import('../screens/operator/audit.tsx')),
] as const;

export const screens = [...mainScreens, ...settingsScreens, ...operatorScreens];

/** What this person can open: not all servers have a model, and few people run the server. */
export const openScreens = ({ hasModel, isOperator }: { hasModel: boolean; isOperator: boolean }) =>
  placesWith([...mainScreens, ...settingsScreens, ...(isOperator ? operatorScreens : [])], hasModel);

/** Named in the navigation only while something is there. */
export const unsavedScreen = screen(
  { href: '/unsaved', label: navStrings.unsaved, icon: 'offline' },
  () => import('../screens/unsaved/index.tsx'),
);

/** Opened by a link from an e-mail. */
export const invitationScreen = {
  href: '/invitations',
  ...page('invitations/:token', () => import('../screens/invitation/index.tsx')),
};

/** Opened by an assistant that a person connects. */
export const consentScreen = page('oauth/authorize', () => import('../screens/consent/index.tsx'));

export const screenAt = (path: string) =>
  path === '/' ? mainScreens[0] : screens.find(({ href }) => isWithin(path, href));

export const isWithin = (path: string, href: string) => path === href || path.startsWith(`${href}/`);
