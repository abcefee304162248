/** Signing in. */
export const signInStrings = {
  title: 'Sign in',
  lead: 'We’ll email you a six-digit code.',
  email: 'Email address',
  send: 'Send code',
  codeTitle: 'Enter your code',
  codeLead: (email: string) =>
    `If ${email} has an account here, a code is on its way. It works for ten minutes.`,
  code: 'Six-digit code',
  submit: 'Sign in',
  again: 'Send a new code',
  sentAgain: 'A new code is on its way.',
  otherAddress: 'Use another address',
  wrongCode: 'This code is wrong or has expired.',
  badEmail: 'Enter a valid email address.',
  linkFailed: 'This sign-in link has already been used or is more than 15 minutes old.',
  firstTime:
    'First time here? The server printed a one-time link when it started. Without a mail server, codes appear in its log.',
};
