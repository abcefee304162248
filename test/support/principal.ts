import type { Principal } from '../../src/domain/principal.ts';
import { personalScopes } from '../../src/domain/scopes.ts';

/** Somebody who calls with a key of their own, for services that are tested without HTTP. */
export const principalOf = (userId: string, keyId = userId): Principal => ({
  kind: 'personal',
  userId,
  plan: 'business',
  scopes: personalScopes,
  blockedBy: [],
  expiresAt: null,
  limitKey: keyId,
  allowedAddresses: null,
  key: { id: keyId, name: 'test' },
});
