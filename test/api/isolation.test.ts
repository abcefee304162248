import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operator } from '../../src/domain/principal.ts';
import type { Transcription } from '../../src/domain/transcription.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import { fill, type Operation, operations, sample } from '../support/operations.ts';
import { type Answer, anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

/** Stands in every text of everyone; whoever reads another's must have found it. */
const word = 'zanzibar';
const unknownId = '0198c0de-0000-7000-8000-000000000000';

interface Owner {
  name: string;
  kind: 'personal' | 'workspace';
  key: string;
  spaces: string[];
  /** Ids of what the owner has, by the path segment or the member name that takes them. */
  ids: Record<string, string[]>;
  secret: string;
}

/** How to make one of what a path segment names, and which members of bodies and queries take its id. */
const fixtures: Record<string, { make: Make; members: string[] }> = {
  folders: { members: ['folder_id'], make: makeFolder },
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
    const heard = { bytes: 1, duration_ms: 1, progress: 1, error: null, language: null, prompt: secret };
    const kept = { transcription_id: null, note_id: null, keep_audio: true, has_audio: true, updated_at: at };
    const wishes = { speakers: null, wants_note: false, note_space_id: null, note_folder_id: null };
    await steno.store.recordings.insert(
      { ...about, ...heard, ...kept, ...wishes, state },
      { isResumable: true, length: 10 },
    );
    return id;
  };
}

/** What tus sends. */
const tus = { 'tus-resumable': '1.0.0' };
const upload: Record<string, object> = {
  GET: { headers: tus },
  DELETE: { headers: tus },
  PATCH: {
    headers: { ...tus, 'upload-offset': '1', 'content-type': 'application/offset+octet-stream' },
    body: new Uint8Array(1),
  },
};

const withKey = operations.filter(
  ({ personal, workspace }) => personal !== undefined || workspace !== undefined,
);
const membersOf = (route: Operation) =>
  [...route.queryNames, ...Object.keys(route.body?.properties ?? {})].filter((name) => name.endsWith('_id'));

describe.each(anyDatabase)('nobody reaches what is not theirs, on %s', (databaseKind) => {
  let steno: TestSteno;
  let owners: Owner[];

  beforeAll(async () => {
    const config = { webhookNetworks: ['127.0.0.1'] };
    // Nothing is delivered here.
    const webhookPollMs = 2 ** 31 - 1;
    steno = await startSteno({ databaseKind, clock: tickingMinutes(), config, webhookPollMs });
    owners = [await person('ada'), await person('bob'), await team('red'), await team('blue')];
    for (const owner of owners) await makeAll(owner);
  });
  afterAll(() => steno.close());

  async function makeAll(owner: Owner): Promise<void> {
    for (const spaceId of owner.kind === 'personal' ? [undefined] : owner.spaces)
      for (const [segment, { make, members }] of Object.entries(fixtures)) {
        const id = await make(steno, owner, spaceId);
        if (id !== undefined)
          for (const at of [segment, ...members]) owner.ids[at] = [...(owner.ids[at] ?? []), id];
      }
  }

  async function person(name: string): Promise<Owner> {
    const { key } = await steno.person({ name });
    return { name, kind: 'personal', key, spaces: [], ids: {}, secret: `secretof${name}` };
  }

  async function team(name: string): Promise<Owner> {
    const { key, workspace, space } = await steno.team({ name });
    const draft = { name: `${word} ${name}`, description: `secretof${name}` };
    const second = await steno.spaces.create(operator, workspace.id, draft);
    const spaces = [space.id, second.id];
    return { name, kind: 'workspace', key, spaces, ids: { space_id: spaces }, secret: `secretof${name}` };
  }

  const mayCall = (owner: Owner, route: Operation) => route[owner.kind] !== undefined;
  const foreignTo = (owner: Owner) => owners.filter((other) => other !== owner);
  const ownId = (owner: Owner, name: string) => owner.ids[name]?.[0] ?? unknownId;

  /** The route called rightly in all but `replace`, which puts another's id in one place. */
  function send(
    owner: Owner,
    route: Operation,
    replace: { at?: string; member?: string; id: string },
  ): Promise<Answer> {
    const pathIds = route.pathIds.map((segment) =>
      segment === replace.at ? replace.id : ownId(owner, segment),
    );
    const given: Record<string, string> = {};
    const takesSpace = membersOf(route).includes('space_id') && owner.kind === 'workspace';
    if (takesSpace) given.space_id = ownId(owner, 'space_id');
    if (replace.member) given[replace.member] = replace.id;
    const inQuery = Object.entries(given).filter(([name]) => route.queryNames.includes(name));
    const inBody = Object.entries(given).filter(([name]) => !route.queryNames.includes(name));
    const body = route.body && {
      ...Object(sample(route.body, route.method === 'PATCH')),
      ...Object.fromEntries(inBody),
    };
    if (body && 'query' in body) body.query = word;
    if (body && 'name' in body) body.name = `new ${nextNumber++}`;
    const query = new URLSearchParams(inQuery).toString();
    const filled = fill(route.path, pathIds);
    const path = filled + (query && `${filled.includes('?') ? '&' : '?'}${query}`);
    if (route.pathIds.includes('uploads'))
      return steno.call(route.method, path, { key: owner.key, ...upload[route.method] });
    return steno.call(route.method, path, { key: owner.key, ...(body ? { body } : {}) });
  }
  let nextNumber = 0;

  function expectNothingOf(others: Owner[], answer: Answer): void {
    for (const { secret } of others) expect(answer.text).not.toContain(secret);
  }

  test.each(withKey.filter((route) => route.pathIds.length > 0))(
    '$name with the id of another',
    async (route) => {
      for (const segment of route.pathIds) {
        if (!fixtures[segment])
          expect.fail(
            `${route.name} takes the id of one of the ${segment}: say in \`fixtures\` of this file how to make one.`,
          );
        for (const owner of owners)
          for (const other of foreignTo(owner))
            for (const id of other.ids[segment] ?? []) {
              const answer = await send(owner, route, { at: segment, id });
              const expected = mayCall(owner, route) ? [404, 'not_found'] : [403, 'forbidden'];
              expect([owner.name, other.name, answer.status, answer.body?.error?.code]).toEqual([
                owner.name,
                other.name,
                ...expected,
              ]);
              expectNothingOf(foreignTo(owner), answer);
            }
      }
    },
  );

  test.each(withKey.filter((route) => membersOf(route).length > 0))(
    '$name naming the id of another',
    async (route) => {
      const known = new Set(['space_id', ...Object.values(fixtures).flatMap(({ members }) => members)]);
      for (const member of membersOf(route)) {
        if (!known.has(member))
          expect.fail(
            `${route.name} takes ${member}: say in \`fixtures\` of this file what makes such an id.`,
          );
        for (const owner of owners.filter((one) => mayCall(one, route)))
          for (const other of foreignTo(owner))
            for (const id of other.ids[member] ?? []) {
              const answer = await send(owner, route, { member, id });
              expectNothingOf(foreignTo(owner), answer);
              // A note stays in its space: there the field does nothing, and the sample's expected_updated_at is refused.
              const inSpace = route.method === 'PATCH' ? 409 : 404;
              if (member === 'space_id')
                expect(answer.status).toBe(owner.kind === 'personal' ? 400 : inSpace);
              // An id of the client's own: the other's note with it is not found, and a new one is made.
              else if (member === 'client_note_id') expect(answer.status).not.toBe(200);
              else if (route.queryNames.includes(member)) expect(answer.body.data ?? []).toEqual([]);
              else expect([answer.status, answer.body?.error?.code]).toEqual([400, 'validation_error']);
            }
      }
    },
  );

  test.each(withKey.filter((route) => route.pathIds.length === 0))(
    '$name shows only what is yours',
    async (route) => {
      for (const owner of owners.filter((one) => mayCall(one, route)))
        for (const id of owner.kind === 'personal' ? [undefined] : owner.spaces) {
          const replace = id ? { member: 'space_id', id } : { id: unknownId };
          const answer = await send(
            owner,
            route,
            membersOf(route).includes('space_id') ? replace : { id: unknownId },
          );
          expect(answer.status).toBeLessThan(500);
          expectNothingOf(foreignTo(owner), answer);
        }
    },
  );

  test('each finds their own, and one space shows nothing of the next', async () => {
    for (const owner of owners)
      for (const [at, id] of (owner.kind === 'personal' ? [undefined] : owner.spaces).entries()) {
        const noteId = owner.ids.notes?.[at];
        const body = { query: owner.secret, ...(id ? { space_id: id } : {}) };
        const found = await steno.call('POST', '/notes/search', { key: owner.key, body });
        expect(found.body.data.map((note: { id: string }) => note.id)).toEqual([noteId]);
        const folders = await steno.call('GET', `/folders/list${id ? `?space_id=${id}` : ''}`, {
          key: owner.key,
        });
        expect(folders.body.data.map((folder: { id: string }) => folder.id)).toContain(
          owner.ids.folders?.[at],
        );
      }
  });

  test('a folder of another space of the same workspace is refused', async () => {
    const [, , red] = owners;
    const [space_id, folder_id] = [red?.spaces[0], red?.ids.folders?.[1]];
    const body = { content: 'x', space_id, folder_id };
    const created = await steno.call('POST', '/notes/create', { key: red?.key ?? '', body });
    expect([created.status, created.body.error.code]).toEqual([400, 'validation_error']);
    const path = `/notes/${red?.ids.notes?.[0]}`;
    const moved = await steno.call('PATCH', path, { key: red?.key ?? '', body: { folder_id } });
    expect([moved.status, moved.body.error.code]).toEqual([400, 'validation_error']);
  });

  test('an archived space is gone: from the list, by its id and by the ids in it', async () => {
    const green = await team('green');
    await makeAll(green);
    const archivedSpace = green.spaces[1] ?? expect.fail();
    const noteId = green.ids.notes?.[1] ?? expect.fail();
    await steno.spaces.archive(operator, { kind: 'of any workspace' }, archivedSpace);
    const spaces = await steno.call('GET', '/spaces/list', { key: green.key });
    expect(spaces.body.data.map((space: { id: string }) => space.id)).toEqual([green.spaces[0]]);
    for (const route of withKey.filter(
      (one) => one.workspace !== undefined && !one.path.includes('/create'),
    )) {
      if (!membersOf(route).includes('space_id') && !route.pathIds.includes('notes')) continue;
      const inPath = route.pathIds.includes('notes');
      const answer = await send(
        green,
        route,
        inPath ? { at: 'notes', id: noteId } : { member: 'space_id', id: archivedSpace },
      );
      expect([route.name, answer.status]).toEqual([route.name, 404]);
    }
  });
});

/** A minute later at every look, so that the generated calls never meet the rate limit. */
function tickingMinutes(): () => number {
  let now = Date.UTC(2026, 0, 1);
  return () => {
    now += 60_000;
    return now;
  };
}
