import { hash, randomBytes } from 'node:crypto';

export type KeyKind = 'personal' | 'workspace';

/** A key as it is listed: everything but the secret, which is shown once and stored only as its SHA-256. */
export interface ApiKey {
  id: string;
  name: string;
  key_prefix: string;
  scopes: string[];
  last_used_at: string | null;
  expires_at: string | null;
  created_at: string;
}

export interface StoredApiKey extends ApiKey {
  kind: KeyKind;
  user_id: string;
  workspace_id: string | null;
  description: string | null;
  key_hash: string;
}

export const maxActiveKeysPerUser = 5;
export const maxKeyNameLength = 100;
export const maxKeyDescriptionLength = 500;
/** A hundred years: beyond it a date no longer fits its four-digit year. */
export const maxKeyLifetimeDays = 36_500;

const secretPrefix: Record<KeyKind, string> = { personal: 'owk_live_', workspace: 'ow_wks_live_' };
const secretForm = /^(owk_live_|ow_wks_live_)[A-Za-z0-9_-]{43}$/;
const shownPrefixLength = 16;

export function newSecret(kind: KeyKind): { secret: string; key_hash: string; key_prefix: string } {
  const secret = secretPrefix[kind] + randomBytes(32).toString('base64url');
  return { secret, key_hash: hashSecret(secret), key_prefix: secret.slice(0, shownPrefixLength) };
}

export const looksLikeKey = (token: string) => secretForm.test(token);

/** Lookup by this hash is also what keeps timing from telling anything: nobody can steer a SHA-256 byte by byte. */
export const hashSecret = (secret: string) => hash('sha256', secret);
