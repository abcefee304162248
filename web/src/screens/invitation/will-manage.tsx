import type { ReceivedInvitation } from '../../resources/invitations.ts';
import { invitationStrings as texts } from '../../strings/invitation.ts';
import { workspaceStrings } from '../../strings/workspaces.ts';
import { Notice } from '../../ui/states.tsx';

/** What it means to be managed. */
export const WillManage = ({ policy }: Pick<ReceivedInvitation, 'policy'>) => (
  <Notice tone="warning" title={texts.managed}>
    <p>{texts.managedDetail}</p>
    <p>{workspaceStrings.turnsOff(policy)}</p>
  </Notice>
);
