/** The groups of operations in the order of the reference. */
export const tagTexts: Record<string, string> = {
  Me: 'What a credential is, and what it may do.',
  Notes: 'Create, read, change, list and search notes.',
  Trash: 'Deleted notes, until they are restored or deleted for good.',
  Revisions: 'Earlier texts of a note.',
  Folders: 'Each note is in one folder or in none.',
  Tags: 'Names on notes: each note has any number of them.',
  Transcriptions: 'Turn a short recording into text, and read what was transcribed before.',
  Recordings: 'Upload long recordings, follow their transcription and play their audio.',
  Dictionary: 'Words that transcriptions spell as you do.',
  Snippets: 'You say the trigger, and the replacement is written.',
  Language: 'Texts that a language model writes about notes. A server without a model answers 503.',
  Ask: 'Questions to your notes, answered with citations. A server without a model answers 503.',
  Usage: 'How much of the plan is used.',
  Changes: 'What was created, updated and deleted: as a list to fetch, or as a stream to follow.',
  Webhooks: 'The server calls yours when something happens.',
  Export: 'Everything as one zip, and back.',
  Spaces: 'The spaces of the workspace of a workspace key.',
  Keys: 'Personal keys.',
  'Agent set-up': 'How an agent gets its own key with a code sent by e-mail.',
  Account: 'Your own name and address, and deleting your account.',
  Sessions: 'Where you are signed in, and passwords for apps.',
  Workspaces: 'Teams: members, policy, spaces and keys.',
  Invitations: 'Invite people to a workspace, and answer invitations.',
  Operator: 'For the operators of the server: its state, its people and its audit log. No note is in it.',
  OpenAI: 'The same engine in the shapes of OpenAI’s API, for programs made for it.',
};

/** Parameters that a route does not describe, by place and name. */
const parameterTexts: Record<string, string> = {
  'query folder_id': 'Only notes of this folder.',
  'query tag_id': 'Only notes with this tag.',
  'query note_type': 'Only notes of this type.',
  'query type': 'Only changes of these types, separated by commas.',
  'query note_id': 'Only items of this note.',
  'query language': 'Language code of the speech, such as `en`.',
  'query include': 'More fields of each item, which are left out otherwise because they are long.',
  'query format': 'The form of the answer: JSON, plain text or subtitles.',
  'query prompt': 'Names and jargon to spell correctly, separated by commas.',
  'query speakers': 'How many people speak, or whether to find out who speaks when.',
  'header content-type': 'The type that tus 1.0 demands.',
  'header last-event-id': 'The `id` of the last event that you have; the stream goes on after it.',
  'path token': 'The last part of the link in the invitation.',
};

/** What an id in a path names, by the part before it, unless that is the plural of the name. */
const idTexts: Record<string, string> = {
  trash: 'note in the trash',
  deliveries: 'delivery',
  dictionary: 'dictionary word',
  'app-passwords': 'app password',
  people: 'account',
  'api-keys': 'key',
};

export function parameterText(path: string, place: string, name: string): string | undefined {
  const before = path.split(`/{${name}}`)[0]?.split('/').at(-1) ?? '';
  const known = parameterTexts[`${place} ${name}`];
  if (known !== undefined || place !== 'path') return known;
  return `Id of the ${idTexts[before] ?? before.replace(/s$/, '')}.`;
}

/** Answers that a route does not describe. */
export const statusTexts: Record<string, string> = {
  200: 'Success.',
  201: 'It was created.',
  202: 'It was accepted and is done later.',
  409: 'It was not changed, because another writer changed it first. The answer has its present state.',
};

const integer = { type: 'integer' };
const string = { type: 'string' };

/** Headers of answers. The test harness checks that a `required` one is there. */
export const headers: Record<string, { description: string; schema: object; required?: boolean }> = {
  'X-Request-Id': {
    description: 'Name of the request in the log of the server: the one that you sent, or a new one.',
    schema: string,
    required: true,
  },
  'X-RateLimit-Limit': {
    description:
      'Requests that the plan allows in a minute; once the requests of the day are used up, in a day.',
    schema: integer,
    required: true,
  },
  'X-RateLimit-Remaining': { description: 'How many of them are left.', schema: integer, required: true },
  'X-RateLimit-Reset': {
    description: 'When they are all there again, in seconds since 1970.',
    schema: integer,
    required: true,
  },
  RateLimit: {
    description: 'What is left of minute and day (draft-ietf-httpapi-ratelimit-headers).',
    schema: string,
    required: true,
  },
  'RateLimit-Policy': {
    description: 'What the plan allows, as in `RateLimit`.',
    schema: string,
    required: true,
  },
  ETag: {
    description: 'Names this answer, for `If-None-Match`; the ETag of a note also for `If-Match`.',
    schema: string,
  },
  'Idempotency-Replayed': {
    description: '`true` if an earlier request with the same `Idempotency-Key` made this.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Retry-After': { description: 'How many seconds to wait before the next attempt.', schema: integer },
  'WWW-Authenticate': { description: 'Always `Bearer`.', schema: string },
};

export const rateHeaders = Object.keys(headers).filter((name) => /^(X-)?RateLimit/.test(name));
