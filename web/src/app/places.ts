import { navStrings } from '../strings/frame.ts';
import type { IconName } from '../ui/icon-paths.ts';

export interface Place {
  /** Where the navigation leads. */
  href: string;
  label: string;
  icon: IconName;
  /** Not shown on a server without a language model. */
  needsModel?: true;
}

const nav = navStrings;

/** The navigation, in its order. Without React, because it is painted before React is loaded. */
export const mainPlaces = {
  notes: { href: '/notes', label: nav.notes, icon: 'note' },
  ask: { href: '/ask', label: nav.ask, icon: 'ask', needsModel: true },
  transcribe: { href: '/transcribe', label: nav.transcribe, icon: 'upload' },
  history: { href: '/history', label: nav.history, icon: 'history' },
} satisfies Record<string, Place>;

/** Behind "Settings" in the sidebar and "More" on phones, where the main places are the tabs. */
export const settingsPlaces = {
  account: { href: '/account', label: nav.account, icon: 'person' },
  dictionary: { href: '/dictionary', label: nav.dictionary, icon: 'book' },
  snippets: { href: '/snippets', label: nav.snippets, icon: 'snippet' },
  language: { href: '/language', label: nav.language, icon: 'spark', needsModel: true },
  keys: { href: '/keys', label: nav.keys, icon: 'key' },
  usage: { href: '/usage', label: nav.usage, icon: 'chart' },
  workspaces: { href: '/workspaces', label: nav.workspaces, icon: 'team' },
} satisfies Record<string, Place>;

/** Below the settings, for operators. */
export const operatorPlaces = {
  status: { href: '/operator/status', label: nav.status, icon: 'wave' },
  people: { href: '/operator/people', label: nav.people, icon: 'team' },
  setup: { href: '/operator/setup', label: nav.setup, icon: 'sliders' },
  audit: { href: '/operator/audit', label: nav.audit, icon: 'history' },
} satisfies Record<string, Place>;

export const placesWith = <One extends Place>(places: readonly One[], hasModel: boolean): One[] =>
  places.filter(({ needsModel }) => hasModel || !needsModel);

/** A phone has room for as many tabs as every server needs; the others are behind "More". */
export const isTab = ({ needsModel }: Place) => !needsModel;
/** The large record button is between the tabs. */
export const tabsBeforeRecord = 2;
