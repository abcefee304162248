import type { ProvidedIdentity } from '../../domain/identity-provider.ts';

/** What a sign-in that has begun must find again when the person comes back. Secret, for this browser alone. */
export interface PendingSignIn {
  state: string;
  nonce: string;
  verifier: string;
}

/** The provider's answer signs no person in. The message is for the log, without anything of the answer. */
export class IdentityRefused extends Error {}

/** What the operator should know of a provider that answers. */
export interface ProviderFacts {
  /** Null if it does not say. */
  offersPkce: boolean | null;
  /** By how much its clock is ahead of ours; null if it does not say. */
  aheadSeconds: number | null;
}

/** An OpenID provider. While it cannot be reached, every function raises `service_unavailable`. */
export interface IdentityProvider {
  readonly issuer: string;
  /** What people call it. */
  readonly name: string;
  /** The address at the provider to which the person goes, and what the caller must keep meanwhile. */
  begin(redirectUri: string): Promise<{ url: string; pending: PendingSignIn }>;
  /** `answer` are the parameters with which the person came back. Raises `IdentityRefused`. */
  finish(answer: URLSearchParams, pending: PendingSignIn, redirectUri: string): Promise<ProvidedIdentity>;
  /** Asks the provider what it offers, for the operator. Raises `IdentityRefused` if it cannot be used. */
  inspect(): Promise<ProviderFacts>;
  /** Where a person goes to sign out of the provider too; null if it has no such address. */
  endSession(returnTo: string): Promise<string | null>;
  close(): void;
}
