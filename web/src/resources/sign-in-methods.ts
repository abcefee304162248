import { useQuery } from '@tanstack/react-query';
import { callAuth } from './session.ts';

/** How people may sign in here. */
export interface SignInMethods {
  codes: boolean;
  passkeys: boolean;
  /** The provider of their organisation. */
  provider: { name: string } | null;
  /** This browser is signed in to an account that may not be used for now. */
  suspended?: true;
}

const usual: SignInMethods = { codes: true, passkeys: true, provider: null };

/** Undefined until the server has said it. If it says nothing, the usual ways. */
export function useSignInMethods(): SignInMethods | undefined {
  const { data, isError } = useQuery({
    queryKey: ['sign-in-methods'],
    queryFn: () => callAuth<SignInMethods>('GET', '/sign-in-methods'),
    refetchOnWindowFocus: false,
    retry: false,
  });
  return isError ? usual : data;
}

/** The page of the provider where the person signs in, and from which they come back to `next`. */
export const beginAtProvider = async (next: string): Promise<string> =>
  (await callAuth<{ url: string }>('POST', '/sign-in/social', { provider: 'oidc', callbackURL: next })).url;
