/** The frame around every screen: navigation, notices, the palette and the list of keys. */
export const navStrings = {
  label: 'Main',
  skip: 'Skip to content',
  notes: 'Notes',
  ask: 'Ask',
  transcribe: 'Transcribe',
  history: 'History',
  unsaved: 'Not saved yet',
  notOnServer: (count: number) =>
    count === 1 ? '1 thing is only in this browser' : `${count} things are only in this browser`,
  dictionary: 'Dictionary',
  snippets: 'Snippets',
  language: 'Language model',
  usage: 'Usage',
  keys: 'Keys',
  workspaces: 'Workspaces',
  account: 'Account',
  settings: 'Settings',
  operator: 'Operator',
  status: 'Server status',
  people: 'People',
  setup: 'Set-up',
  audit: 'Audit log',
  docs: 'API docs',
  more: 'More',
  version: (version: string) => `Version ${version}`,
  health: { ok: 'Connected', down: 'Can’t reach the server', asking: 'Connecting…' },
};

export const shellStrings = {
  offline: 'You’re offline. Anything you write or record will be sent when you’re back online.',
  away: 'Can’t reach the server. Anything you write or record will be sent when it reconnects.',
  shared: {
    title: (count: number) => (count === 1 ? 'Transcribe this recording?' : 'Transcribe these recordings?'),
    detail: 'Another app shared it with Steno. It is not sent anywhere until you say so.',
    transcribe: 'Transcribe',
    discard: 'Don’t transcribe',
  },
  signedOut: 'You’re signed out. Sign in to save what you wrote.',
  signedOutRecording: 'You’re signed out. The recording goes on in this browser. Sign in to send it.',
  signIn: 'Sign in',
  inOwnNotes: (title: string) => ({
    title: `“${title}” is in “My notes”`,
    detail: 'Its folder or space is gone.',
  }),
  newVersion: {
    title: 'Reload, there is a new version',
    detail: 'The server was updated while this page was open. What you wrote is not lost.',
  },
  crashed: {
    title: 'This page stopped working',
    detail: 'Reload it to go on. What you wrote is not lost.',
    reload: 'Reload',
  },
  noSuchPage: { title: 'Page not found', detail: 'The link may be out of date.', home: 'Go to your notes' },
};

export const paletteStrings = {
  title: 'Search and commands',
  placeholder: 'Find a note, a screen, a command…',
  results: 'Results',
  nothing: 'No matches',
  how: 'Arrows to move, Enter to open, Esc to close.',
};
