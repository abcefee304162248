/** Every sentence of the console, one object per screen. To translate it, translate this file. */
const common = {
  product: 'Steno',
  save: 'Save',
  cancel: 'Cancel',
  close: 'Close',
  delete: 'Delete',
  remove: 'Remove',
  edit: 'Edit',
  add: 'Add',
  create: 'Create',
  copy: 'Copy',
  copied: 'Copied',
  copyFailed: 'The browser did not allow copying; select the text and copy it by hand.',
  undo: 'Undo',
  retry: 'Try again',
  loading: 'Loading…',
  loadMore: 'Show more',
  never: 'Never',
  dismiss: 'Dismiss',
  more: 'More',
  search: 'Search',
  notifications: 'Notifications',
};

const nav = {
  label: 'Main',
  skip: 'Skip to content',
  notes: 'Notes',
  transcribe: 'Transcribe',
  history: 'History',
  dictionary: 'Dictionary',
  snippets: 'Snippets',
  usage: 'Usage',
  keys: 'Keys',
  workspaces: 'Workspaces',
  account: 'Account',
  docs: 'API docs',
  more: 'More',
  version: (version: string) => `Version ${version}`,
  health: { ok: 'Server is well', down: 'Server does not answer', asking: 'Asking the server' },
};

const errors = {
  unreachable: {
    title: 'The server does not answer',
    detail: 'Check your connection; nothing you typed is lost.',
  },
  unexpected: {
    title: 'Something went wrong',
    detail: 'Try again; if it happens again, reload the page.',
  },
  rateLimited: {
    title: 'Too many requests',
    detail: (seconds: number | undefined) =>
      seconds === undefined
        ? 'Wait a moment, then try again.'
        : `You have reached your limit for now. Try again in ${seconds === 1 ? '1 second' : `${seconds} seconds`}.`,
  },
  tooManyAttempts: { title: 'Too many wrong codes', detail: 'Ask for a new code and try again.' },
  quotaExceeded: { title: 'No audio minutes left this month' },
  concurrencyLimit: {
    title: 'A transcription is already running',
    detail: 'One runs at a time. Wait until it has finished, then try again.',
  },
  planRequired: { title: 'Your plan does not include this' },
  limitReached: { title: 'Limit reached' },
  noTranscript: { title: 'No transcript', detail: 'This note was written, not spoken.' },
  badRequest: { title: 'That does not work' },
  signedOut: { title: 'You are signed out', detail: 'Sign in again to go on.' },
  forbidden: { title: 'Not allowed' },
  notFound: { title: 'Not found', detail: 'It may have been deleted, or the link is wrong.' },
  conflict: { title: 'That exists already' },
  tooLarge: { title: 'Too large' },
  tooMany: { title: 'Too many requests' },
  unavailable: { title: 'Not available right now' },
  serverFault: {
    title: 'The server had a problem',
    detail: 'It was logged. Try again in a moment.',
  },
};

const shell = {
  offline: 'You are offline. What you see may be out of date; changes are saved when you are back.',
  crashed: {
    title: 'This page stopped working',
    detail: 'Your notes are safe on the server.',
    reload: 'Reload',
  },
  noSuchPage: { title: 'There is no such page', detail: 'The link may be old.', home: 'Go to your notes' },
};

const signIn = {
  title: 'Sign in',
  lead: 'We send a six-digit code to your address.',
  email: 'E-mail address',
  send: 'Send code',
  codeTitle: 'Enter your code',
  codeLead: (email: string) =>
    `If ${email} may sign in here, a code is on its way. It works for ten minutes.`,
  code: 'Six-digit code',
  submit: 'Sign in',
  again: 'Send a new code',
  sentAgain: 'A new code is on its way.',
  otherAddress: 'Use another address',
  wrongCode: 'This code is wrong or has expired.',
  badEmail: 'This does not look like an e-mail address.',
  linkFailed: 'This sign-in link was used already or is over 15 minutes old.',
  firstTime:
    'First time here? The server printed a one-time link when it started. Without a mail server, codes are in its log.',
};

const notes = {
  title: 'Notes',
  all: 'All notes',
  folders: 'Folders',
  newNote: 'New note',
  newFolder: 'New folder',
  folderName: 'Folder name',
  searchPlaceholder: 'Search notes',
  clearSearch: 'Clear search',
  untitled: 'Untitled',
  note: 'Note',
  noteList: 'List of notes',
  found: (count: number) =>
    count === 0 ? 'Nothing found' : count === 1 ? '1 note found' : `${count} notes found`,
  empty: {
    title: 'No notes yet',
    detail: 'Write one, or speak: a recording becomes a note on the Transcribe page.',
  },
  emptyFolder: { title: 'This folder is empty', detail: 'New notes made here land in it.' },
  nothingFound: {
    title: 'Nothing found',
    detail: 'Try fewer or other words. “Quoted words” must stand together.',
  },
  noneOpen: { title: 'Pick a note', detail: 'Or press n to write one, / to search.' },
  gone: { title: 'This note is gone', detail: 'It was deleted, or the link is wrong.' },
  back: 'All notes',
  noteTitle: 'Title',
  titlePlaceholder: 'Title',
  content: 'Text of the note, in Markdown',
  contentPlaceholder: 'Write… Markdown works: # heading, **bold**, - list',
  read: 'Read',
  write: 'Write',
  mode: 'Read or write',
  actions: 'Actions for this note',
  move: 'Move to',
  noFolder: 'No folder',
  copyLink: 'Copy link',
  copyText: 'Copy text',
  deleted: (title: string) => `Deleted “${title}”`,
  restored: 'The note is back',
  transcript: 'Transcript',
  enhanced: 'Enhanced',
  created: (when: string) => `Created ${when}`,
  saved: 'Saved',
  saving: 'Saving…',
  unsaved: 'Not saved yet',
  emptyUnsaved: 'A note needs some text to be saved',
  saveFailed: 'Not saved',
  conflict: {
    title: 'This note was changed somewhere else',
    detail: 'Your text is still here and not saved. Which one should stay?',
    mine: 'Keep my text',
    theirs: 'Take the other text',
  },
  keyboard: 'Keys: / search, n new, arrows move, Enter opens, Esc leaves',
};

const account = {
  title: 'Account',
  plan: 'Plan',
  sessions: 'Where you are signed in',
  thisSession: 'This session',
  signedIn: (when: string) => `Signed in ${when}`,
  unknownDevice: 'Unknown device',
  device: (browser: string, system: string) => `${browser} on ${system}`,
  signOut: 'Sign out',
  signOutSession: 'Sign out this session',
  signOutEverywhere: 'Sign out everywhere',
  signOutEverywhereDetail: 'Every browser and app that is signed in as you, here too. Keys keep working.',
  sessionEnded: 'The session is signed out.',
};

const transcribe = { title: 'Transcribe' };
const history = { title: 'History' };
const dictionary = { title: 'Dictionary' };
const snippets = { title: 'Snippets' };
const keys = { title: 'Keys' };
const workspaces = { title: 'Workspaces' };
const usage = { title: 'Usage' };

export const strings = {
  common,
  nav,
  errors,
  shell,
  signIn,
  notes,
  account,
  transcribe,
  history,
  dictionary,
  snippets,
  keys,
  workspaces,
  usage,
};
