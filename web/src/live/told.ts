import type { ToldChange } from '@steno/sdk';

/** A change as `GET /changes/events` tells it. */
export type Told = Omit<ToldChange, 'at'>;

export interface StreamListener {
  /** The stream runs. Without `isWhole`, there may have been changes before that it will not tell. */
  ready(cursor: string, isWhole: boolean): void;
  change(cursor: string, change: Told): void;
  /** Whether the server refused it, or just does not answer. */
  lost(isRefused: boolean): void;
}

/** A note that this page has. */
export interface KnownNote {
  revision: number;
  folderId: string | null;
  /** The ids of its tags. */
  tags: string;
  /** On the screen: open, or in a list. `kept` is what was on the screen before. */
  place: 'open' | 'listed' | 'kept';
}

type Place = Told['space_id'];

/** What some changes mean for this page. */
export interface Plan {
  /** Notes that are out of date here, those that are gone too. */
  outdated: Set<string>;
  /** The ones that are on the screen. */
  read: Told[];
  gone: string[];
  /** Whose lists of notes lack something. */
  lists: Set<Place>;
  trash: Set<Place>;
  folders: Set<Place>;
  tags: Set<Place>;
  others: Set<Told['type']>;
  /** Changes of a text that this page does not have yet. */
  written: Told[];
}

/** More notes of a list than this are read as a list. */
const maxReads = 5;

/** What this page wrote itself it knows already: the answer had the revision. */
export function planOf(changes: readonly Told[], known: (id: string) => KnownNote | undefined): Plan {
  const inPlaces = (type: Told['type']) =>
    new Set(changes.filter((change) => change.type === type).map(({ space_id }) => space_id));
  const plan: Plan = {
    outdated: new Set(),
    read: [],
    gone: [],
    lists: new Set(),
    trash: new Set(),
    folders: inPlaces('folder'),
    tags: inPlaces('tag'),
    others: new Set(changes.map(({ type }) => type)),
    written: [],
  };
  const listed: Told[] = [];
  // An event has the note of now, so the last one says it all.
  const notes = new Map(changes.filter(({ type }) => type === 'note').map((change) => [change.id, change]));
  for (const change of notes.values()) {
    const { id, action, space_id, revision, by } = change;
    if (action !== 'updated') plan.trash.add(space_id);
    // Not by its action: it may have been restored since.
    if (revision === null) {
      plan.outdated.add(id);
      plan.gone.push(id);
      continue;
    }
    const mine = known(id);
    if (mine && mine.revision >= revision) continue;
    plan.outdated.add(id);
    if (by !== null) plan.written.push(change);
    if (mine?.place === 'open') plan.read.push(change);
    else if (mine?.place === 'listed') listed.push(change);
    else plan.lists.add(space_id);
  }
  if (listed.length <= maxReads) plan.read.push(...listed);
  else for (const { space_id } of listed) plan.lists.add(space_id);
  return plan;
}

/** Whether a query with this key is out of date. */
export function isOutOfDate([first, second, third]: readonly unknown[], plan: Plan): boolean {
  switch (first) {
    case 'notes':
      if (second === 'one') return plan.others.has('transcription') || plan.outdated.has(String(third));
      if (second === 'trash') return plan.trash.has(placeIn(third));
      // The key of a list names the place in an object.
      return second === 'list' && plan.lists.has((third as { spaceId?: string }).spaceId ?? null);
    case 'folders':
      return plan.folders.has(placeIn(second));
    case 'tags':
      return plan.tags.has(placeIn(second));
    case 'dictionary':
      return plan.others.has('dictionary');
    case 'snippets':
      return plan.others.has('snippet');
    case 'transcriptions':
    case 'recordings':
      return plan.others.has('transcription');
    case 'language':
      // After a recording, texts about its note begin by themselves.
      return second === 'jobs' && (plan.others.has('transcription') || plan.outdated.has(String(third)));
    default:
      return false;
  }
}

const placeIn = (key: unknown): Place => (typeof key === 'string' && key !== 'own' ? key : null);
