import { expect } from 'vitest';
import { noWishes } from '../../src/domain/recording.ts';
import type { Transcription } from '../../src/domain/transcription.ts';
import { begin } from '../../src/features/ask/queries.ts';
import { add } from '../../src/features/language/jobs.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import type { TestSteno } from './steno.ts';

/** Stands in every text of everyone; whoever reads another's must have found it. */
export const word = 'zanzibar';
export const unknownId = '0198c0de-0000-7000-8000-000000000000';

export interface Owner {
  name: string;
  kind: 'personal' | 'workspace';
  key: string;
  spaces: string[];
  /** Ids of what the owner has, by the path segment or the member name that takes them. */
  ids: Record<string, string[]>;
  secret: string;
}

/** How to make one of what a path segment names, and which members of bodies and queries take its id. */
export const fixtures: Record<string, { make: Make; members: string[] }> = {
  folders: { members: ['folder_id'], make: makeFolder },
  tags: { members: ['tag_id', 'into'], make: makeTag },
  notes: { members: ['note_id', 'client_note_id'], make: makeNote },
  trash: { members: [], make: makeTrash },
  revisions: { members: [], make: makeRevision },
  webhooks: { members: [], make: makeWebhook },
  deliveries: { members: [], make: makeDelivery },
  dictionary: { members: [], make: makeWord },
  snippets: { members: [], make: makeSnippet },
  transcriptions: { members: ['transcription_id'], make: makeTranscription },
  recordings: { members: [], make: makeRecording('done') },
  uploads: { members: [], make: makeRecording('uploading') },
  actions: { members: [], make: makeAction },
  jobs: { members: [], make: makeJob },
  conversations: { members: ['conversation_id'], make: makeConversation },
  workspaces: { members: ['workspace_id'], make: makeWorkspace },
  // The same for everybody.
  models: { members: [], make: async () => undefined },
};

/** Undefined for an owner who cannot have one: a workspace, of what only people have. */
type Make = (steno: TestSteno, owner: Owner, spaceId: string | undefined) => Promise<string | undefined>;

async function makeNote(steno: TestSteno, owner: Owner, spaceId: string | undefined): Promise<string> {
  const { key, secret } = owner;
  const body = { title: `${word} ${secret}`, content: `${word} ${secret}`, space_id: spaceId };
  return (await steno.call('POST', '/notes/create', { key, body })).body.data.id;
}

async function makeTrash(steno: TestSteno, owner: Owner, spaceId: string | undefined): Promise<string> {
  const id = await makeNote(steno, owner, spaceId);
  expect((await steno.call('DELETE', `/notes/${id}`, { key: owner.key })).status).toBe(204);
  return id;
}

/** Of the note that was made last. */
async function makeRevision(steno: TestSteno, { key, secret, ids }: Owner): Promise<string> {
  const id = ids.notes?.at(-1);
  const body = { content: `${word} changed ${secret}` };
  await steno.call('PATCH', `/notes/${id}`, { key, body });
  return (await steno.call('GET', `/notes/${id}/revisions`, { key })).body.data[0].id;
}

async function makeWebhook(steno: TestSteno, { key, secret }: Owner, spaceId: string | undefined) {
  const body = { url: `http://127.0.0.1:1/${secret}`, events: ['note.created'], space_id: spaceId };
  return (await steno.call('POST', '/webhooks', { key, body })).body.data.id;
}

/** Of the webhook that was made last. */
async function makeDelivery(steno: TestSteno, { ids, name }: Owner, spaceId: string | undefined) {
  const at = '2026-01-01T00:00:00.000Z';
  const id = `msg_${name}${spaceId ?? ''}`;
  const sent = { event: 'note.created', resource_id: unknownId, at, attempts: 1 } as const;
  const came = { delivered_at: null, last_attempt_at: at, response_status: null, error: null };
  await steno.database.db
    .insertInto('webhook_deliveries')
    .values({ id, webhook_id: ids.webhooks?.at(-1) ?? '', ...sent, ...came })
    .execute();
  return id;
}

async function makeFolder(steno: TestSteno, owner: Owner, spaceId: string | undefined): Promise<string> {
  const body = { name: `${word} ${owner.secret}`, space_id: spaceId };
  return (await steno.call('POST', '/folders/create', { key: owner.key, body })).body.data.id;
}

async function makeTag(steno: TestSteno, owner: Owner, spaceId: string | undefined): Promise<string> {
  const body = { name: `${word} ${owner.secret}`, space_id: spaceId };
  return (await steno.call('POST', '/tags/create', { key: owner.key, body })).body.data.id;
}

async function makeWord(steno: TestSteno, { kind, key, secret }: Owner): Promise<string | undefined> {
  if (kind === 'workspace') return undefined;
  const body = { word: `${word} ${secret}` };
  return (await steno.call('POST', '/dictionary/create', { key, body })).body.data[0].id;
}

async function makeSnippet(steno: TestSteno, { kind, key, secret }: Owner): Promise<string | undefined> {
  if (kind === 'workspace') return undefined;
  const body = { trigger: secret, replacement: `${word} ${secret}` };
  return (await steno.call('POST', '/snippets/create', { key, body })).body.data.id;
}

async function makeAction(steno: TestSteno, { key, secret }: Owner): Promise<string> {
  const body = { name: secret, prompt: `${word} ${secret}` };
  return (await steno.call('POST', '/actions', { key, body })).body.data.id;
}

/** Of the note that was made last. Straight into the store: there is no language model here. */
async function makeJob(steno: TestSteno, { key, secret, ids }: Owner, spaceId: string | undefined) {
  const { user_id: userId } = (await steno.call('GET', '/me', { key })).body.data;
  const space = await steno.database.db
    .selectFrom('spaces')
    .select('workspace_id')
    .where('id', '=', spaceId ?? '')
    .executeTakeFirst();
  const task = {
    id: secret,
    name: secret,
    prompt: secret,
    sections: null,
    output: 'note',
    language: null,
  } as const;
  const [id, noteId] = [newUuid(), ids.notes?.at(-1) ?? ''];
  const asker = { userId, workspaceId: space?.workspace_id ?? null };
  const now = '2026-01-01T00:00:00.000Z';
  await steno.database.write((tx) => add(tx, { id, asker, noteId, task, now }));
  return id;
}

/** Straight into the store: there is no language model here. */
async function makeConversation(steno: TestSteno, { kind, key, secret }: Owner): Promise<string | undefined> {
  if (kind === 'workspace') return undefined;
  const { user_id } = (await steno.call('GET', '/me', { key })).body.data;
  const [id, at] = [newUuid(), '2026-01-01T00:00:00.000Z'];
  const about = { id, space_id: null, title: `${word} ${secret}`, created_at: at, updated_at: at };
  const turn = { question: secret, answer: secret, found: true, citations: [], created_at: at };
  await steno.database.write((tx) => begin(tx, user_id, about, turn));
  return id;
}

async function makeWorkspace(steno: TestSteno, { secret }: Owner): Promise<string> {
  return (await steno.team({ name: secret })).workspace.id;
}

/** Straight into the store: the ticking clock would end the lease of an upload before its words are there. */
async function makeTranscription(
  steno: TestSteno,
  { kind, key, secret }: Owner,
): Promise<string | undefined> {
  if (kind === 'workspace') return undefined;
  const { user_id } = (await steno.call('GET', '/me', { key })).body.data;
  const [id, now, later] = [newUuid(), '2026-01-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'];
  await steno.store.leases.acquire({ id, keyId: id, userId: user_id, expiresAt: later }, now);
  const record: Transcription = {
    id,
    user_id,
    note_id: null,
    status: 'completed',
    text: `${word} ${secret}`,
    word_count: 2,
    source: 'cloud',
    provider: null,
    model: null,
    language: 'en',
    reason: null,
    audio_duration_ms: 1,
    processing_ms: 1,
    segments: null,
    created_at: now,
  };
  expect(await steno.store.leases.settle(id, record, now)).toBe(true);
  return id;
}

/** Straight into the store: the ticking clock would end an upload before its bytes are there. */
function makeRecording(state: 'done' | 'uploading'): Make {
  return async (steno, { kind, key, secret }) => {
    if (kind === 'workspace') return undefined;
    const { user_id } = (await steno.call('GET', '/me', { key })).body.data;
    const [id, at] = [newUuid(), '2026-01-01T00:00:00.000Z'];
    const about = { id, user_id, name: `${word} ${secret}`, media_type: 'audio/wav', created_at: at };
    const heard = { bytes: 1, duration_ms: 1, progress: 1, language: null, prompt: secret };
    const noError = { error: null, error_code: null };
    const kept = { transcription_id: null, note_id: null, keep_audio: true, has_audio: true, updated_at: at };
    await steno.store.recordings.insert(
      { ...about, ...heard, ...noError, ...kept, ...noWishes, state },
      { isResumable: true, length: 10 },
    );
    return id;
  };
}

/** What tus sends. */
const tus = { 'tus-resumable': '1.0.0' };
export const upload: Record<string, object> = {
  GET: { headers: tus },
  DELETE: { headers: tus },
  PATCH: {
    headers: { ...tus, 'upload-offset': '1', 'content-type': 'application/offset+octet-stream' },
    body: new Uint8Array(1),
  },
};

/** A minute later at every look, so that the generated calls never meet the rate limit. */
export function tickingMinutes(): () => number {
  let now = Date.UTC(2026, 0, 1);
  return () => {
    now += 60_000;
    return now;
  };
}
