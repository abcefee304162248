import { useQuery } from '@tanstack/react-query';
import { cache } from '../api/cache.ts';
import { api, at } from '../api/client.ts';
import { useData } from './use-data.ts';

const listKey = ['grants'];

/** The assistants that the person connected. */
export const useGrants = () => useData(listKey, () => api.GET('/api/grants'));

export const revokeGrant = (id: string) => api.DELETE('/api/grants/{id}', at({ id }));

export const refreshGrants = () => cache.invalidateQueries({ queryKey: listKey });

/** What an assistant asks for: the names of its address, as OAuth gives them. */
export type AuthorizationRequest = Readonly<Record<string, string>>;

/** `redirect`: there is nothing to ask, and the assistant is told why at its own address. */
export type Consent = { redirect: string } | { client_name: string; redirect_uri: string; scopes: string[] };

export const useConsent = (request: AuthorizationRequest) =>
  useQuery({
    queryKey: ['consent', request],
    queryFn: () => send<Consent>('/api/oauth/request', request),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Where to send the browser. `scopes` null: the person refuses. */
export const answerConsent = async (request: AuthorizationRequest, scopes: readonly string[] | null) =>
  (await send<{ redirect: string }>('/api/oauth/consent', { request, scopes })).redirect;

/** openapi.json does not describe what only this page asks. */
async function send<Data>(path: string, body: object): Promise<Data> {
  const headers = { 'content-type': 'application/json' };
  const response = await api.send(path, { method: 'POST', headers, body: JSON.stringify(body) });
  return ((await response.json()) as { data: Data }).data;
}
