/** What people read when something fails. */
export const errorStrings = {
  unreachable: {
    title: 'Can’t reach the server',
    detail: 'Check your connection. Nothing you typed is lost.',
  },
  unexpected: {
    title: 'Something went wrong',
    detail: 'Try again. If it keeps happening, reload the page.',
  },
  rateLimited: {
    title: 'Too many requests',
    detail: (seconds: number | undefined) =>
      seconds === undefined
        ? 'Wait a moment, then try again.'
        : `You’ve reached your limit for now. Try again in ${seconds === 1 ? '1 second' : `${seconds} seconds`}.`,
    triesAgain: (seconds: number) =>
      `You’ve reached your limit for now. Trying again in ${seconds === 1 ? '1 second' : `${seconds} seconds`}.`,
  },
  tooManyAttempts: { title: 'Too many wrong codes', detail: 'Request a new code and try again.' },
  quotaExceeded: { title: 'No audio minutes left this month' },
  concurrencyLimit: {
    title: 'A transcription is already running',
    detail: 'Only one can run at a time. Wait for it to finish, then try again.',
  },
  planRequired: { title: 'Your plan doesn’t include this' },
  limitReached: { title: 'Limit reached' },
  noTranscript: { title: 'No transcript', detail: 'This note was typed, not recorded.' },
  /** What the console calls a field of the API. */
  fields: (param: string) =>
    ({ url: 'The address', email: 'The email address', name: 'The name', title: 'The title' })[param] ??
    (/^[a-z]+$/.test(param) ? `The ${param}` : 'This'),
  badRequest: { title: 'Check this and try again' },
  signedOut: { title: 'You’re signed out', detail: 'Sign in again to continue.' },
  forbidden: { title: 'You can’t do this' },
  notFound: { title: 'Not found', detail: 'It may have been deleted, or the link may be wrong.' },
  conflict: { title: 'Already exists' },
  tooLarge: { title: 'Too large' },
  tooMany: { title: 'Too many requests' },
  unavailable: { title: 'Not available right now' },
  serverFault: {
    title: 'The server had a problem',
    detail: 'Try again in a moment. If it goes on, ask your administrator: the server’s log has the reason.',
  },
};
