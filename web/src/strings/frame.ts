/** The frame around every screen: navigation, notices, the palette and the list of keys. */
export const navStrings = {
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
  settings: 'Settings',
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

export const keysHelpStrings = {
  title: 'Keyboard shortcuts',
  keys: [
    ['Ctrl+K', 'Search and commands'],
    ['?', 'Show this list'],
    ['Alt+R', 'Record'],
    ['n', 'New note'],
    ['/', 'Search notes'],
    ['↑ ↓', 'Move through the list'],
    ['Enter', 'Open the note'],
    ['e', 'Write where you stopped'],
    ['x', 'Select the note'],
    ['k', 'Play or pause the recording'],
    ['j l', 'Back or forward 10 seconds'],
    ['F2', 'Correct this part of the transcript'],
    ['Esc', 'Stop writing, close, go back'],
    ['Tab', 'Indent the line, while writing'],
    ['Ctrl+B', 'Bold, while writing'],
    ['Ctrl+I', 'Italic, while writing'],
    ['Ctrl+K', 'Link the selected words, while writing'],
  ],
} as const;
