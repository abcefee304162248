/** The set-up of a new server by its first account. */
export const setUpStrings = {
  title: 'Set up your server',
  lead: 'You can do this once, here. Leave out what you don’t need now: later you change it at the server, in the environment or in the file settings.env.',
  byEnvironment: (label: string, setting: string) =>
    `${label}: set by ${setting} in the environment of the server. Change it there.`,
  you: {
    title: 'You',
    name: { label: 'Your name' },
    email: {
      label: 'Your email address',
      hint: 'You sign in with a code that is sent to it. Without a mail server, the code is in the log of the server.',
    },
  },
  address: {
    title: 'Public address',
    url: {
      label: 'Address at which people reach this server',
      hint: 'If it is behind a proxy. Links in mail lead there.',
      setting: 'STENO_PUBLIC_URL',
    },
  },
  mail: {
    title: 'Mail',
    server: {
      label: 'Mail server and port',
      hint: 'For codes to sign in, and for invitations. Without one, codes are in the log of the server.',
      setting: 'STENO_SMTP_URL',
    },
    user: { label: 'User name' },
    password: { label: 'Password' },
    from: { label: 'Sender', setting: 'STENO_MAIL_FROM' },
    test: (email: string) => `Send a test mail to ${email}`,
    testWithout: 'Send a test mail',
  },
  model: {
    title: 'Speech model',
    choose: 'Model that turns speech into text',
    asItIs: 'As it is now',
    one: 'The models that come with Steno. Add others with “steno models add”.',
    byEnvironment: 'The environment of the server decides it.',
  },
  signUp: {
    title: 'New accounts',
    who: 'Who may make an account',
    closed: 'Nobody: you add people',
    domains: 'Addresses of certain domains',
    open: 'Everybody with an email address',
    which: { label: 'Domains' },
  },
  language: {
    title: 'Language model',
    url: {
      label: 'Address of the model',
      hint: 'A server with /v1/chat/completions. It gets the texts that people ask it about. Without one, no text leaves this server.',
      setting: 'STENO_LLM_URL',
    },
    model: { label: 'Name of the model', setting: 'STENO_LLM_MODEL' },
    key: { label: 'Key', setting: 'STENO_LLM_KEY' },
    test: 'Ask it for a few words',
  },
  backup: {
    title: 'Backups',
    place: {
      label: 'Folder for backups',
      hint: 'A whole path on the server, or an S3 store: s3://KEY:SECRET@HOST/BUCKET/FOLDER. “steno backup” writes there.',
      setting: 'STENO_BACKUP_URL',
    },
    test: 'See whether it can be written to',
  },
  outcome: { ok: 'It works', warning: 'It works, but look at this', broken: 'It does not work' },
  finish: 'Finish',
  seeAbove: 'Check what is marked above, and try again.',
  applying: 'Steno starts again with your settings. This takes a moment.',
  failed: 'Steno could not start with these settings. It runs with those from before.',
  skipAll: 'Skip all',
  skipTitle: 'Skip set-up?',
  skipDetail: 'The server stays as it is. You can’t come back here; later you change settings at the server.',
};
