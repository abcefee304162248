/** The account: name, address, data and sessions. */
export const accountStrings = {
  title: 'Account',
  identity: 'Name and email',
  appearance: 'Appearance',
  theme: 'Theme',
  themes: { system: 'As the system', light: 'Light', dark: 'Dark' },
  name: 'Name',
  changeName: 'Change name',
  email: 'You sign in with this address.',
  noEmail: 'No email address',
  noEmailDetail:
    'Without one, you can sign in only with a passkey, or a link from the operator of the server.',
  addEmail: 'Add email address',
  changeEmail: 'Change email address',
  emailDetail:
    'We’ll email a code to the new address. Without a mail server, it appears in the server’s log.',
  codeSent: (email: string) => `Enter the code we sent to ${email}.`,
  emailSet: (email: string) => `You now sign in with ${email}`,
  emailTaken: 'Another account already uses this address.',
  plan: 'Plan',
  data: {
    title: 'Your data',
    everything: 'All your notes, folders, words and transcriptions',
    export: 'Export',
    exportDetail:
      'One zip file with Markdown, JSON, subtitles and the sound of your recordings, which can make it large.',
    fromExport: {
      title: 'An export from Steno',
      detail: 'From this server or another. Notes you already have stay as they are.',
      action: 'Import',
      file: 'Export to import',
    },
    fromMarkdown: {
      title: 'Markdown files',
      detail:
        'One or more .md files, or a zip of them, such as an Obsidian vault. Files become notes, folders become folders, and pictures are left out. A file you already imported is skipped; one with new text becomes a new note.',
      action: 'Import Markdown',
      file: 'Markdown to import',
    },
    oneZip: 'Choose Markdown files, or one zip file.',
    imported: 'Imported',
    counts: (notes: string, folders: string) =>
      `${notes === '1' ? '1 note' : `${notes} notes`} and ${folders === '1' ? '1 folder' : `${folders} folders`} added.`,
    known: (count: string) => `${count} already existed.`,
    withoutAudio: (count: string) =>
      count === '1' ? '1 recording came without its audio.' : `${count} recordings came without their audio.`,
    notTranscribed: (count: string) =>
      count === '1'
        ? '1 recording was still waiting to be transcribed, and isn’t now. Open it to see why.'
        : `${count} recordings were still waiting to be transcribed, and aren’t now. Open them to see why.`,
    leftOut: 'Words and snippets were left out, because your workspace doesn’t let them be stored here.',
  },
  passkeys: {
    title: 'Passkeys',
    add: 'Add passkey',
    added: 'Passkey added',
    knownHere: 'This device already has a passkey for your account.',
    none: 'Sign in with your finger, your face or a PIN instead of a code.',
    since: (when: string) => `Added ${when}`,
    used: (when: string) => `last used ${when}`,
    unused: 'not used yet',
    name: 'Name',
    rename: 'Rename',
    renameThis: (name: string) => `Rename ${name}`,
    remove: 'Remove',
    removeThis: (name: string) => `Remove ${name}`,
    removeDetail: 'It no longer signs you in. Your device may still list it until you delete it there.',
    removed: 'Passkey removed',
  },
  appPasswords: {
    title: 'App passwords',
    create: 'Add app password',
    createDetail: 'For an app that asks for an email address and a password.',
    make: 'Create',
    name: 'Which app is it for?',
    none: 'For apps that ask for an email address and a password. You can revoke each one.',
    noEmail: 'For apps that ask for an email address and a password. Add an email address first.',
    created: (name: string) => `App password for ${name}`,
    once: (email: string) =>
      `Enter ${email} and this password in the app. You won’t be able to see the password again.`,
    password: 'App password',
    copy: 'Copy password',
    since: (when: string) => `Added ${when}`,
    used: (when: string) => `last sign-in ${when}`,
    unused: 'not used yet',
    revoke: 'Revoke',
    revokeThis: (name: string) => `Revoke the password of ${name}`,
    revokeDetail: 'The app is signed out at once.',
    revoked: 'App password revoked',
  },
  delete: {
    title: 'Delete your account',
    everything: 'Everything that is yours alone',
    detail: 'Notes, recordings, keys and sign-ins, for good. What is in a workspace with others stays.',
    action: 'Delete account',
    question: 'Delete your account for good?',
    whatGoes:
      'Your notes, recordings with their audio, words, keys, webhooks and sign-ins are deleted at once. They cannot be brought back.',
    whatStays:
      'Notes in the spaces of a workspace stay with its members. A workspace in which you are alone is deleted too.',
    exportFirst: 'Export your data first',
    type: (word: string) => `Type ${word} to confirm`,
    mistyped: 'This isn’t what it says above.',
    refused: 'Your account can’t be deleted yet',
    done: 'Your account is deleted',
  },
  sessions: 'Where you’re signed in',
  thisSession: 'This session',
  signedIn: (when: string) => `Signed in ${when}`,
  unknownDevice: 'Unknown device',
  device: (browser: string, system: string) => `${browser} on ${system}`,
  signOut: 'Sign out',
  endSession: 'End session',
  sessionEnded: 'Session ended',
  signOutAnyway: 'Sign out and delete them',
  losesWork(notes: readonly string[], recordings: readonly string[]) {
    const parts = [named(notes, 'note', 'notes'), named(recordings, 'recording', 'recordings')];
    const what = parts.filter(Boolean).join(' and ');
    return `This browser has ${what} that the server doesn’t have yet. Signing out deletes them.`;
  },
  signOutEverywhere: 'Sign out everywhere',
  signOutEverywhereDetail:
    'This signs you out of every browser and app, including this one. Your keys keep working.',
};

const maxNamed = 5;

/** 7 notes (“One”, “Two” and 5 more) */
function named(names: readonly string[], one: string, many: string): string {
  if (names.length === 0) return '';
  const shown = names.slice(0, maxNamed).map((name) => `“${name}”`);
  const rest = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
  return `${names.length} ${names.length === 1 ? one : many} (${shown.join(', ')}${rest})`;
}
