import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sessionCookie } from '../../src/domain/session.ts';
import { startFakeModel } from '../support/fake-model.ts';
import { joinTeam, type Member } from '../support/member.ts';
import { type Operation, operations, sample } from '../support/operations.ts';
import { settled, uploadTo } from '../support/recordings.ts';
import { createFakeSpeech, recording } from '../support/speech.ts';
import { databaseKinds, startSteno, type TestSteno } from '../support/steno.ts';

/**
 * A member leaves in every way × every operation × every table with a person. Nothing of the team remains with them, and nothing
 * of the team goes with them. Operations come from openapi.json and tables from the database, so a new one is in it by itself.
 */
const ofTeam = 'Xylophontresor';

interface World {
  admin: string;
  workspaceId: string;
  spaceId: string;
  bob: Member;
  /** A word of what Bob made for himself. */
  own: string;
  /** Ids of what Bob made in the team's space, by the part of the path before them. */
  ids: Record<string, string>;
}

let steno: TestSteno;
let model: Awaited<ReturnType<typeof startFakeModel>>;
const speech = createFakeSpeech();
speech.say(`${ofTeam} is what was said.`);

async function world(): Promise<World> {
  const team = await steno.team();
  const { token: admin } = await steno.signIn(team.user);
  const bob = await joinTeam(steno, { admin, workspaceId: team.workspace.id });
  const spaceId = team.space.id;
  const post = async (path: string, body: object, headers = {}) => {
    const answer = await steno.call('POST', path, { key: bob.token, body, headers });
    if (answer.status >= 300) throw new Error(`${path} answered ${answer.text}`);
    return answer.body.data;
  };
  const asked = { accept: 'application/json' };
  const fill = async (word: string, place: { space_id?: string }, action: { workspace_id?: string }) => {
    const folder = await post('/folders/create', { name: word, ...place });
    const tag = await post('/tags/create', { name: word, ...place });
    const note = await post('/notes/create', {
      title: word,
      content: `${word} leaks.`,
      tag_ids: [tag.id],
      ...place,
    });
    const path = `/notes/${note.id}`;
    await steno.call('PATCH', path, { key: bob.token, body: { content: `${word} leaks again.` } });
    const gone = await post('/notes/create', { content: `${word} is gone.`, ...place });
    await steno.call('DELETE', `/notes/${gone.id}`, { key: bob.token });
    const made = await post('/actions', { name: word, prompt: `Write about ${word}.`, ...action });
    model.answerWith(() => `${word} leaks [1].`);
    const { conversation_id } = await post('/ask', { question: `What of ${word}?`, ...place }, asked);
    const job = await post(`${path}/enhance`, { action: made.id, output: 'replace' });
    await expect.poll(async () => (await get(`/language/jobs/${job.id}`, bob.token)).state).toBe('done');
    const [revision] = await get(`${path}/revisions`, bob.token);
    return { folder, tag, note, gone, made, conversation_id, job, revision };
  };
  const team_ = await fill(ofTeam, { space_id: spaceId }, { workspace_id: team.workspace.id });
  const own = `Quitte${randomUUID().slice(0, 8)}`;
  await fill(own, {}, {});
  await post('/dictionary/create', { words: [own] });
  await post('/snippets/create', { trigger: own, replacement: own });
  const hook = await post('/webhooks', {
    url: `http://127.0.0.1:9/${ofTeam}`,
    events: ['note.created'],
    space_id: spaceId,
  });
  const sent = await uploadTo(steno, bob.token, recording(), `?name=${ofTeam}&note=true&space_id=${spaceId}`);
  const { transcription_id } = await settled(steno, bob.token, sent.body.data.id);
  const ids = {
    notes: team_.note.id,
    trash: team_.gone.id,
    folders: team_.folder.id,
    tags: team_.tag.id,
    actions: team_.made.id,
    conversations: team_.conversation_id,
    jobs: team_.job.id,
    revisions: team_.revision.id,
    webhooks: hook.id,
    recordings: sent.body.data.id,
    transcriptions: transcription_id ?? 'none',
    workspaces: team.workspace.id,
    spaces: spaceId,
    members: team.user.id,
  };
  return { admin, workspaceId: team.workspace.id, spaceId, bob, own, ids };
}
const get = async (path: string, key: string) => (await steno.call('GET', path, { key })).body.data;

/** The path with the team's ids. */
const pathOf = ({ path, queryNames }: Operation, ids: World['ids']) => {
  const filled = path.replace(/(\w[\w-]*)\/\{\w+\}/g, (_, part: string) => `${part}/${ids[part] ?? 'none'}`);
  return queryNames.includes('space_id') ? [filled, `${filled}?space_id=${ids.spaces}`] : [filled];
};
/** One that never ends. Its answers are those of `GET /changes`. */
const endless = 'GET /api/v1/changes/events';
/** A recording and its words are of the person who spoke them, wherever their note is (docs/recordings.md). */
const ofSpeaker = /\/(recordings|transcriptions|export|transcribe)\b/;
const reads = operations.filter(({ method, name }) => method === 'GET' && name !== endless);

/** Routes without an id that answer with one of these texts, also those that are not in openapi.json. */
async function routesHaving(texts: readonly string[], headers: Record<string, string>): Promise<string[]> {
  const found: string[] = [];
  for (const { method, url } of steno.routes) {
    if (![method].flat().includes('GET') || /[:*]/.test(url) || endless.endsWith(url)) continue;
    const { body } = await steno.app.inject({ method: 'GET', url, headers });
    if (texts.some((text) => body.includes(text))) found.push(url);
  }
  return found.sort();
}

/** The operations whose answer has the word. */
async function having(word: string, key: string, { ids, spaceId }: World): Promise<string[]> {
  const found = new Set<string>();
  for (const operation of reads)
    for (const path of pathOf(operation, ids)) {
      const { text } = await steno.call('GET', path, { key });
      if (text.includes(word) && !ofSpeaker.test(path)) found.add(operation.name);
    }
  for (const place of [{}, { space_id: spaceId }]) {
    const answer = await steno.call('POST', '/notes/search', { key, body: { query: word, ...place } });
    if (Object(answer.body).data?.length > 0) found.add('POST /api/v1/notes/search');
  }
  return [...found].sort();
}

const remove = ({ workspaceId, bob }: World, key: string) =>
  steno.call('DELETE', `/api/workspaces/${workspaceId}/members/${bob.id}`, { key });
const ways: Record<string, (given: World) => Promise<unknown>> = {
  'is removed': (given) => remove(given, given.admin),
  leaves: (given) => remove(given, given.bob.token),
  'keeps the membership of a space that is archived': ({ workspaceId, spaceId, admin }) =>
    steno.call('POST', `/api/workspaces/${workspaceId}/spaces/${spaceId}/archive`, { key: admin }),
};

/** The tables that have a row with this word, an id say. */
async function tablesWith(word: string): Promise<string[]> {
  const { db } = steno.database;
  const found: string[] = [];
  for (const { name } of await db.introspection.getTables()) {
    const rows = await db
      .selectFrom(db.dynamic.table(name as 'users').as('one'))
      .selectAll('one')
      .execute();
    const text = rows.map((row) =>
      JSON.stringify(row, (_, value) => (value instanceof Uint8Array ? '' : value)),
    );
    if (text.some((row) => row.includes(word))) found.push(name);
  }
  return found.sort();
}

/** Tables with a person where Bob has no row: other ways to sign in, and what lasts as long as a request. */
const elsewhere = [
  'agent_tokens',
  'app_passwords',
  'language_settings',
  'oauth_grants',
  'passkeys',
  'provided_identities',
  'sign_in_links',
  'storage_reservations',
  'transcription_leases',
];
/** Where the id of a deleted account stays: who wrote a text of the team, and who did something. */
const staysWithTeam = ['audit_events', 'note_revisions', 'notes', 'rate_usage', 'webhooks'];

describe.each(databaseKinds)(
  'a member who made something of everything in a team, with %s',
  (databaseKind) => {
    beforeAll(async () => {
      model = await startFakeModel();
      const language = { url: model.url, key: '', model: '', window: 0 };
      steno = await startSteno({
        databaseKind,
        speech,
        config: { language, webhookNetworks: ['127.0.0.1'] },
      });
    });
    afterAll(async () => {
      await steno.close();
      await model.close();
    });

    test.each(Object.keys(ways))('who %s reads nothing of it, and what is their own still', async (way) => {
      const given = await world();
      const { bob } = given;
      // Otherwise the rest could not fail.
      expect((await having(ofTeam, bob.token, given)).length).toBeGreaterThan(12);
      await ways[way]?.(given);
      // Shared actions are of the workspace, not of a space.
      const shared = way.includes('archived') ? ['GET /api/v1/actions'] : [];
      expect(await having(ofTeam, bob.token, given)).toEqual(shared);
      expect(await having(ofTeam, bob.key, given)).toEqual(shared);
      expect((await having(given.own, bob.token, given)).length).toBeGreaterThan(8);
    });

    test('who was removed changes nothing of it', async () => {
      const given = await world();
      await remove(given, given.admin);
      const before = await having(ofTeam, given.admin, given);
      const changing = operations.filter(
        ({ method, path, pathIds }) => method !== 'GET' && pathIds.length > 0 && !ofSpeaker.test(path),
      );
      const done: string[] = [];
      for (const operation of changing)
        for (const key of [given.bob.token, given.bob.key])
          for (const path of pathOf(operation, given.ids)) {
            const body = sample(operation.body, true);
            const { status } = await steno.call(operation.method, path, { key, ...(body ? { body } : {}) });
            if (status < 400) done.push(operation.name);
          }
      expect(done).toEqual([]);
      expect(await having(ofTeam, given.admin, given)).toEqual(before);
    });

    const jobs = ['note', 'replace', 'append'].flatMap((output) =>
      Object.keys(ways).flatMap((way) => ['waits', 'is written'].map((state) => ({ output, way, state }))),
    );
    test.each(jobs)(
      'who $way while a text ($output) $state gets nothing of it',
      async ({ output, way, state }) => {
        const given = await world();
        const { bob, ids } = given;
        const before = model.requests.length;
        model.answerWith(() => `${ofTeam} was decided.`);
        model.next('slow');
        const enhance = async (noteId: string) => {
          const body = { action: 'summary', output };
          const answer = await steno.call('POST', `/notes/${noteId}/enhance`, { key: bob.token, body });
          return answer.body.data.id as string;
        };
        // One text of a person is written at a time, so a second one waits.
        const first = await enhance(String(ids.notes));
        await expect.poll(() => model.requests.length).toBe(before + 1);
        const job = state === 'waits' ? await enhance(String(ids.notes)) : first;
        await ways[way]?.(given);
        model.goOn();
        const { db } = steno.database;
        const one = db.selectFrom('language_jobs').select(['state', 'result_note_id']).where('id', '=', job);
        await expect.poll(async () => (await one.executeTakeFirst())?.state).toBe('failed');
        expect((await one.executeTakeFirst())?.result_note_id).toBeNull();
        const notes = await get('/notes/list', bob.token);
        expect(JSON.stringify(notes)).not.toContain(ofTeam);
      },
    );

    test('whose account is suspended reads nothing at all', async () => {
      const given = await world();
      const boss = await steno.person();
      await steno.users.setOperator(boss.user.id, true);
      const { token } = await steno.signIn(boss.user);
      const { bob } = given;
      const path = `/api/operator/people/${bob.id}`;
      const about = [bob.id, bob.email, bob.token, ofTeam, given.own];
      const credentials = [
        { authorization: `Bearer ${bob.token}` },
        { cookie: sessionCookie(bob.token, { secure: false }).split(';')[0] ?? '' },
        { authorization: `Bearer ${bob.key}` },
      ];
      const [bySession = []] = await Promise.all(credentials.map((one) => routesHaving(about, one)));
      // Otherwise the rest could not fail.
      expect(bySession).toEqual(expect.arrayContaining(['/api/auth/get-session', '/api/v1/me']));
      expect((await steno.call('PATCH', path, { key: token, body: { suspended: true } })).status).toBe(200);
      for (const key of [bob.token, bob.key])
        for (const word of [ofTeam, given.own]) expect(await having(word, key, given)).toEqual([]);
      for (const one of credentials) expect(await routesHaving(about, one)).toEqual([]);
    });

    test('whose account is deleted takes nothing of the team along, and leaves nothing of their own', async () => {
      const given = await world();
      const before = await having(ofTeam, given.admin, given);
      const { db } = steno.database;
      const withPerson = (await db.introspection.getTables())
        .filter(({ columns }) => columns.some(({ name }) => name === 'user_id'))
        .map(({ name }) => name);
      const filled = await tablesWith(given.bob.id);
      expect(withPerson.filter((name) => !filled.includes(name)).sort(), 'give Bob a row').toEqual(elsewhere);
      const { status } = await steno.call('DELETE', '/api/account', {
        key: given.bob.token,
        body: { confirm: given.bob.email },
      });
      expect(status).toBe(204);
      expect(await having(ofTeam, given.admin, given)).toEqual(before);
      expect(await tablesWith(given.bob.id)).toEqual(staysWithTeam);
      expect(await tablesWith(given.own)).toEqual([]);
    });
  },
);
