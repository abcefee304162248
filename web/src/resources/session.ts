import type { components } from '@steno/sdk';
import { useQuery } from '@tanstack/react-query';
import { cache } from '../api/cache.ts';
import { api, slow } from '../api/client.ts';
import { isSignedOut, StenoError } from '../api/errors.ts';
import { endPage, isPageOf, pageOwner } from '../api/person.ts';
import { forgetPersonInBrowser } from '../lib/browser-storage.ts';
import { forgetShownOnce } from '../lib/shown-once.ts';
import { createStore } from '../lib/store.ts';

export type Me = components['schemas']['Me'];
/** What the server can transcribe. */
export type Speech = Me['speech'];

export const sessionKey = ['session'];

/** Who is signed in, or `null` when no person is. */
export const useSession = () =>
  useQuery({
    queryKey: sessionKey,
    queryFn: () => fetchMe(),
    // A person who was signed out here may have signed in again in another tab.
    staleTime: ({ state }) => (state.data ? 5 * 60_000 : 0),
    // The app cannot start without it, so it is retried after a rate limit and while the server is away.
    retry: true,
    retryDelay: (_failures, error) => ((error instanceof StenoError && error.retryAfter) || 5) * 1000,
  });

/** Whether this server has a language model. Without one, nothing of it shows. */
export const useHasModel = () => useSession().data?.language_model ?? false;

/** Whether this person runs the server. */
export const useIsOperator = () => useSession().data?.operator ?? false;

/** Never comes back if it is another person than before: their page is loaded, at `next`. */
export async function fetchMe(next = '/notes'): Promise<Me | null> {
  try {
    const { data } = await api.GET('/api/v1/me');
    return isPageOf(data.user_id) ? data : await loadPage(next);
  } catch (error) {
    if (isSignedOut(error)) return null;
    throw error;
  }
}

function loadPage(at: string): Promise<never> {
  endPage(true);
  window.location.assign(at);
  return new Promise(() => {});
}

/** Asks who is signed in now. While the server is away, it stays the same person. */
export async function checkPerson(): Promise<void> {
  const me = await fetchMe().catch(() => undefined);
  if (me !== undefined) cache.setQueryData(sessionKey, me);
}

/** The person whose page it is has signed in. What was read before may be out of date. */
export function enter(me: Me | null): void {
  cache.setQueryData(sessionKey, me);
  void cache.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
}

/** The session ended by itself, and the person wants to go on where they are. */
export const signInHere = createStore(false);

const left = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('steno-left');

/** After signing out: nothing of the person stays in this browser, in this page or in another one. */
export function leave(): void {
  const userId = pageOwner();
  if (userId === undefined) return;
  left?.postMessage(userId);
  forget();
  void forgetPersonInBrowser(userId);
}

/** Does the same in this page when the person signs out in another one. */
export function followLeaving(): void {
  left?.addEventListener('message', ({ data }) => data === pageOwner() && forget());
}

function forget(): void {
  endPage(false);
  forgetShownOnce();
  cache.setQueryData(sessionKey, null);
  cache.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
}

export interface Person {
  name: string;
  email: string | null;
}

const personQuery = ['person'];

/** The name and address of the person who is signed in. */
export const usePerson = () =>
  useQuery({
    queryKey: personQuery,
    queryFn: async (): Promise<Person | null> =>
      (await callAuth<{ user: Person } | null>('GET', '/get-session'))?.user ?? null,
    staleTime: Number.POSITIVE_INFINITY,
  });

export const refreshPerson = () => cache.invalidateQueries({ queryKey: personQuery });

/** `confirm` is the address of the account, or its name if it has none. */
export const deleteAccount = (confirm: string) => api.DELETE('/api/account', { body: { confirm }, ...slow });

export const changeName = (name: string) => api.PATCH('/api/account', { body: { name } });

/** Mails a code to the person's new address. */
export const requestAddressCode = (email: string) =>
  api.POST('/api/account/email-code', { body: { email }, ...slow });

export const setAddress = (email: string, code: string) =>
  api.POST('/api/account/email', { body: { email, code } });

export const requestCode = (email: string) =>
  callAuth('POST', '/email-otp/send-verification-otp', { email, type: 'sign-in' });

export const signInWithCode = (email: string, otp: string) =>
  callAuth('POST', '/sign-in/email-otp', { email, otp });

/** Makes the account that a person was invited to have, and signs in. */
export const joinByInvitation = (token: string, name: string) =>
  callAuth<{ workspace_id: string }>('POST', '/sign-in/invitation', { token, name });

export const lookAtInvitation = <Invitation>(token: string) =>
  callAuth<{ invitation: Invitation }>('POST', '/invitation', { token });

/** `url`: where to go to sign out of the provider as well. */
export const signOut = () => callAuth<{ url?: string }>('POST', '/sign-out', {});

/** The sign-in routes have a wire format of their own, which openapi.json does not describe. */
export async function callAuth<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const response = await api.send(`/api/auth${path}`, {
    method,
    ...slow,
    ...(body ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}),
  });
  // Some answer with nothing.
  return (await response.json().catch(() => undefined)) as Answer;
}
