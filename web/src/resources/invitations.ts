import type { components, operations } from '@steno/sdk';
import { useQuery } from '@tanstack/react-query';
import { cache } from '../api/cache.ts';
import { api, at } from '../api/client.ts';
import { isNotFound } from '../api/errors.ts';
import { lookAtInvitation } from './session.ts';
import { useData } from './use-data.ts';
import { refreshWorkspaces } from './workspaces.ts';

export type Invitation = components['schemas']['Invitation'];
export type ReceivedInvitation = components['schemas']['ReceivedInvitation'];
/** `needs_code`: a code by e-mail must prove the address first. */
export type LinkedInvitation = ReceivedInvitation & { needs_code: boolean };
/** With the link to pass on, unless the server mailed it. */
export type SentInvitation =
  operations['createInvitation']['responses']['201']['content']['application/json']['data'];
type InvitationDraft = operations['createInvitation']['requestBody']['content']['application/json'];

const listKey = (workspaceId: string) => ['workspace', workspaceId, 'invitations'];

export const useInvitations = (id: string) =>
  useData(listKey(id), () => api.GET('/api/workspaces/{id}/invitations', at({ id })));

export const invite = async (id: string, body: InvitationDraft): Promise<SentInvitation> =>
  (await api.POST('/api/workspaces/{id}/invitations', { ...at({ id }), body })).data;

export const resendInvitation = async (id: string, invitation_id: string): Promise<SentInvitation> =>
  (await api.POST('/api/workspaces/{id}/invitations/{invitation_id}/resend', at({ id, invitation_id }))).data;

export const revokeInvitation = (id: string, invitation_id: string) =>
  api.DELETE('/api/workspaces/{id}/invitations/{invitation_id}', at({ id, invitation_id }));

export const refreshInvitations = (id: string) => cache.invalidateQueries({ queryKey: listKey(id) });

const receivedKey = ['invitations'];

/** The invitations that the person who is signed in has not answered. */
export const useReceivedInvitations = () =>
  useData(receivedKey, () => api.GET('/api/invitations'), { staleTime: 60_000 });

/** One that was sent to the person who is signed in, by its link or its id. */
export const useReceivedInvitation = (token: string) =>
  useData(['invitation', token], () => api.GET('/api/invitations/{token}', at({ token })), {
    // Once it is answered there is nothing left to ask for.
    refetchOnWindowFocus: false,
  });

/** What an invitation's link says, also to a person who is not signed in. `null` if it does not work. */
export const useInvitationByLink = (token: string, enabled = true) =>
  useQuery({
    queryKey: ['invitation-link', token],
    queryFn: async () => {
      try {
        return (await lookAtInvitation<LinkedInvitation>(token)).invitation;
      } catch (error) {
        if (isNotFound(error)) return null;
        throw error;
      }
    },
    enabled,
    refetchOnWindowFocus: false,
  });

export async function acceptInvitation(token: string) {
  const { data } = await api.POST('/api/invitations/{token}/accept', at({ token }));
  await Promise.all([refreshWorkspaces(), cache.invalidateQueries({ queryKey: receivedKey })]);
  return data;
}

export async function declineInvitation(token: string): Promise<void> {
  await api.POST('/api/invitations/{token}/decline', at({ token }));
  await cache.invalidateQueries({ queryKey: receivedKey });
}
