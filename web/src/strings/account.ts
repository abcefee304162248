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
  noEmailDetail: 'Without one, you can sign in only with a link from whoever runs the server.',
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
    exportDetail: 'One zip file with Markdown, JSON and subtitles.',
    fromExport: 'An export from Steno',
    import: 'Import',
    importDetail: 'From this server or another. Notes you already have stay as they are.',
    file: 'Export to import',
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
  sessions: 'Where you’re signed in',
  thisSession: 'This session',
  signedIn: (when: string) => `Signed in ${when}`,
  unknownDevice: 'Unknown device',
  device: (browser: string, system: string) => `${browser} on ${system}`,
  signOut: 'Sign out',
  endSession: 'End session',
  sessionEnded: 'Session ended',
  signOutAnyway: 'Sign out and delete them',
  losesWork:
    'This browser has notes or recordings that the server doesn’t have yet. Signing out deletes them.',
  signOutEverywhere: 'Sign out everywhere',
  signOutEverywhereDetail:
    'This signs you out of every browser and app, including this one. Your keys keep working.',
};
