import type { components, operations } from '@steno/sdk';
import { useQuery } from '@tanstack/react-query';
import { cache } from '../api/cache.ts';
import { api } from '../api/client.ts';
import { isNotFound } from '../api/errors.ts';
import { lookAtInvitation } from './session.ts';
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
const at = (id: string, invitation_id: string) => ({ params: { path: { id, invitation_id } } });
const by = (token: string) => ({ params: { path: { token } } });

export const useInvitations = (workspaceId: string) =>
  useQuery({
    queryKey: listKey(workspaceId),
    queryFn: async () =>
      (await api.GET('/api/workspaces/{id}/invitations', { params: { path: { id: workspaceId } } })).data,
  });

export const invite = async (id: string, body: InvitationDraft): Promise<SentInvitation> =>
  (await api.POST('/api/workspaces/{id}/invitations', { params: { path: { id } }, body })).data;

export const resendInvitation = async (workspaceId: string, id: string): Promise<SentInvitation> =>
  (await api.POST('/api/workspaces/{id}/invitations/{invitation_id}/resend', at(workspaceId, id))).data;

export const revokeInvitation = (workspaceId: string, id: string) =>
  api.DELETE('/api/workspaces/{id}/invitations/{invitation_id}', at(workspaceId, id));

export const refreshInvitations = (workspaceId: string) =>
  cache.invalidateQueries({ queryKey: listKey(workspaceId) });

const receivedKey = ['invitations'];

/** Those that the person who is signed in has not answered. */
export const useReceivedInvitations = () =>
  useQuery({
    queryKey: receivedKey,
    queryFn: async () => (await api.GET('/api/invitations')).data,
    staleTime: 60_000,
  });

/** One that was sent to the person who is signed in, by its link or its id. */
export const useReceivedInvitation = (token: string) =>
  useQuery({
    queryKey: ['invitation', token],
    queryFn: async () => (await api.GET('/api/invitations/{token}', by(token))).data,
    // Once it is answered there is nothing left to ask for.
    refetchOnWindowFocus: false,
  });

/** What its link says to whoever has it. `null` if it does not work. */
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
  const { data } = await api.POST('/api/invitations/{token}/accept', by(token));
  await Promise.all([refreshWorkspaces(), cache.invalidateQueries({ queryKey: receivedKey })]);
  return data;
}

export async function declineInvitation(token: string): Promise<void> {
  await api.POST('/api/invitations/{token}/decline', by(token));
  await cache.invalidateQueries({ queryKey: receivedKey });
}
