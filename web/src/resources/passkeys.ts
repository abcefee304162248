import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import { useQuery } from '@tanstack/react-query';
import { cache } from '../api/cache.ts';
import { callAuth } from './session.ts';

export interface Passkey {
  id: string;
  name: string;
  createdAt: string;
  lastUsedAt: string | null;
}

/** As the server wants it; openapi.json does not describe its sign-in routes. */
export const maxPasskeyNameLength = 100;

const listKey = ['passkeys'];

export const usePasskeys = () =>
  useQuery({
    queryKey: listKey,
    queryFn: () => callAuth<Passkey[]>('GET', '/passkey/list-user-passkeys'),
  });

export const refreshPasskeys = () => cache.invalidateQueries({ queryKey: listKey });

export const renamePasskey = (id: string, name: string) =>
  callAuth('POST', '/passkey/update-passkey', { id, name });

export const removePasskey = (id: string) => callAuth('POST', '/passkey/delete-passkey', { id });

/** Browsers keep passkeys only for hosts with a name, over https or on localhost. */
export const hasPasskeys = () =>
  window.isSecureContext &&
  'PublicKeyCredential' in window &&
  !/^(\d+(\.\d+){3}|\[.*\])$/.test(window.location.hostname);

/** The library is loaded when a person uses a passkey. */
const load = () => import('@simplewebauthn/browser');

export async function addPasskey(name: string): Promise<Passkey> {
  const { startRegistration } = await load();
  const optionsJSON = await callAuth<PublicKeyCredentialCreationOptionsJSON>(
    'GET',
    '/passkey/generate-register-options',
  );
  const { clientExtensionResults: _, ...response } = await startRegistration({ optionsJSON });
  return callAuth('POST', '/passkey/verify-registration', { response, name });
}

/** With `autofill`, the browser offers passkeys at the field for the address, and this waits until one is chosen. */
export async function signInWithPasskey({ autofill = false } = {}): Promise<void> {
  const { startAuthentication } = await load();
  const optionsJSON = await callAuth<PublicKeyCredentialRequestOptionsJSON>(
    'GET',
    '/passkey/generate-authenticate-options',
  );
  const { clientExtensionResults: _, ...response } = await startAuthentication({
    optionsJSON,
    useBrowserAutofill: autofill,
  });
  await callAuth('POST', '/passkey/verify-authentication', { response });
}

export const canOfferPasskeys = async () => hasPasskeys() && (await load()).browserSupportsWebAuthnAutofill();

export const stopOffering = async () => (await load()).WebAuthnAbortService.cancelCeremony();

/** The person closed the browser's dialog, or another ceremony took its place. */
export const isCancelled = (error: Error) => error.name === 'NotAllowedError' || error.name === 'AbortError';

/** This device has a passkey for the account already. */
export const isKnownHere = (error: Error) => error.name === 'InvalidStateError';
