// Generated from openapi.json by `npm run types --workspace sdk`. Do not edit.
/** A POST to one of these, sent again with the same Idempotency-Key, creates nothing twice. */
export const idempotentPaths: ReadonlySet<string> = new Set([
  '/api/v1/notes/create',
  '/api/v1/folders/create',
  '/api/v1/import',
  '/api/v1/webhooks',
  '/api/v1/transcribe',
  '/api/v1/recordings',
  '/api/v1/actions',
  '/api/v1/notes/{id}/enhance',
  '/api/v1/dictionary/create',
  '/api/v1/snippets/create',
  '/api/v1/keys/create',
  '/api/v1/keys/{id}/rotate',
  '/v1/audio/transcriptions',
  '/api/workspaces',
  '/api/workspaces/{id}/invitations',
  '/api/workspaces/{id}/spaces',
  '/api/workspaces/{id}/api-keys',
  '/api/workspaces/{id}/api-keys/{key_id}/rotate',
]);
