import { navStrings } from '../strings/frame.ts';
import type { IconName } from '../ui/icon-paths.ts';

export interface Place {
  /** Where the navigation leads. */
  href: string;
  label: string;
  icon: IconName;
  /** Vocabulary and account entries are grouped apart from the notes. */
  startsGroup?: boolean;
}

const nav = navStrings;

/** The navigation, in its order. Without React, because it is painted before React is loaded. */
export const places = {
  notes: { href: '/notes', label: nav.notes, icon: 'note' },
  transcribe: { href: '/transcribe', label: nav.transcribe, icon: 'upload' },
  history: { href: '/history', label: nav.history, icon: 'history' },
  dictionary: { href: '/dictionary', label: nav.dictionary, icon: 'book', startsGroup: true },
  snippets: { href: '/snippets', label: nav.snippets, icon: 'snippet' },
  usage: { href: '/usage', label: nav.usage, icon: 'chart', startsGroup: true },
  keys: { href: '/keys', label: nav.keys, icon: 'key' },
  workspaces: { href: '/workspaces', label: nav.workspaces, icon: 'team' },
} satisfies Record<string, Place>;

export const accountPlace: Place = { href: '/account', label: nav.account, icon: 'person' };

/** On phones these are in the tab bar; the rest is behind "More". */
export const tabCount = 3;
/** The large record button is in the middle of them. */
export const tabsBeforeRecord = 2;
