/** The page that a link in an invitation opens. */
export const invitationStrings = {
  title: 'Invitation',
  question: (inviter: string, workspace: string, role: string) =>
    `${inviter} invites you to join the workspace “${workspace}”. Your role: ${role}.`,
  managed: 'This workspace will manage your account',
  managedDetail:
    'As long as you’re a member, its admins can turn off transcription and changes to your dictionary and snippets, here and with your own keys. You can leave at any time.',
  expires: (when: string) => `You can answer until ${when}. Nothing changes unless you accept.`,
  accept: 'Accept',
  acceptManaged: 'Accept and be managed',
  decline: 'Decline',
  joined: (name: string) => `You’re now a member of “${name}”`,
  declined: 'Invitation declined',
  gone: 'Invitation not found',
  goneDetail:
    'It may have been answered, revoked or sent again, or be more than 14 days old. Or it is for another email address.',
  youAre: (email: string | null) =>
    email === null ? 'Your account has no email address yet.' : `You’re signed in as ${email}.`,
  other: (email: string) => `This invitation is for ${email}`,
  otherDetail: 'Sign out on your account page, then open the link again.',
  account: 'Go to your account',
  inviterAsks: (inviter: string, workspace: string) => `${inviter} invites you to “${workspace}”`,
  yourRole: (role: string) => `Your role: ${role}.`,
  name: 'Your name',
  create: 'Create account and join',
  createManaged: 'Create account and be managed',
  yourAddress: (email: string) => `Your account will have the address ${email}.`,
  hasAccount: (email: string) => `${email} already has an account. Sign in to accept.`,
  needsProvider: (email: string, provider: string) => `Sign in to ${provider} with ${email} to accept.`,
  needsCode: (email: string) => `We’ll send a code to ${email} to make sure that it is you.`,
  signIn: 'I have an account',
  continue: 'Continue',
};
