import type { Invitation } from '../../domain/invitation.ts';

const isManagedText = `The workspace will manage your account. While you are a member, its admins can turn off transcription, and
changes to your dictionary and snippets.

`;

/** Other people chose the names, so they must not start a new line or appear in the subject. */
export function invitationMail(
  { email, role, managed }: Pick<Invitation, 'email' | 'role' | 'managed'>,
  { workspace, inviter }: { workspace: string; inviter: string },
  link: string,
) {
  const oneLine = (text: string) => text.replaceAll(/\p{Cc}+/gu, ' ');
  return {
    to: email,
    subject: 'You are invited to a workspace on Steno',
    text: `${oneLine(inviter)} invites you to the workspace "${oneLine(workspace)}", with the role ${role}.

${managed ? isManagedText : ''}Within 14 days, accept or decline here. If this address has no account yet, the page makes one:

${link}

Do not pass the link on. Nothing happens unless you accept, and you can leave at any time.
`,
  };
}
