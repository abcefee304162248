import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { leftBy } from '../../src/platform/database/erasure.ts';
import { startFakeModel } from '../support/fake-model.ts';
import { createFakeSpeech, recording } from '../support/speech.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

let steno: TestSteno;
let model: Awaited<ReturnType<typeof startFakeModel>>;
const speech = createFakeSpeech();
beforeAll(async () => {
  model = await startFakeModel();
  const language = { url: model.url, key: '', model: '', window: 0 };
  const config = { language, webhookNetworks: ['127.0.0.1'] };
  steno = await startSteno({ databaseKind: 'sqlite', speech, config });
});
afterAll(async () => {
  await steno.close();
  await model.close();
});

/** The files of the data folder in which these bytes are. */
const filesWith = (text: string) =>
  readdirSync(steno.config.dataDir, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.startsWith('steno.db') && readFileSync(join(steno.config.dataDir, name)).includes(text),
  );

test('a purged note leaves no byte in the database or its log', async () => {
  const { key } = await steno.person();
  const create = (content: string) => steno.call('POST', '/notes/create', { key, body: { content } });
  await create('a note that stays: heliotrope');
  const { body } = await create('a note that goes: quicksilver');
  expect(filesWith('quicksilver')).not.toEqual([]);
  await steno.call('DELETE', `/notes/${body.data.id}`, { key });
  const purged = await steno.call('DELETE', `/notes/trash/${body.data.id}`, { key });
  expect(purged.status).toBeLessThan(300);
  await expect.poll(() => filesWith('quicksilver')).toEqual([]);
  expect(filesWith('heliotrope')).not.toEqual([]);
});

test('so does a person', async () => {
  const { key, user } = await steno.person();
  await steno.call('POST', '/notes/create', { key, body: { content: 'only for a while: chrysoprase' } });
  expect(filesWith('chrysoprase')).not.toEqual([]);
  await steno.users.remove(user.id);
  await expect.poll(() => filesWith('chrysoprase')).toEqual([]);
});

test('so does what was said', async () => {
  const { key } = await steno.person();
  speech.say('only said: amethyst');
  const { body } = await steno.upload(key, { file: recording() });
  expect(filesWith('amethyst')).not.toEqual([]);
  const deleted = await steno.call('DELETE', `/transcriptions/${body.data.id}`, { key });
  expect(deleted.status).toBeLessThan(300);
  await expect.poll(() => filesWith('amethyst')).toEqual([]);
});

type Person = Awaited<ReturnType<TestSteno['person']>>;
type Kind = { [Table in keyof typeof leftBy]: (typeof leftBy)[Table] };

/** Stores the text, and returns how it is deleted or replaced. */
type Told = (person: Person, text: string) => Promise<() => Promise<{ status: number }>>;

const made = async ({ key }: Person, path: string, body: object): Promise<string> => {
  const answer = await steno.call('POST', path, { key, body });
  expect(answer.status).toBeLessThan(300);
  return [answer.body.data].flat()[0].id;
};
const deleted = ({ key }: Person, path: string) => steno.call('DELETE', path, { key });

/** How a text comes into each table through the API, and goes. */
const ways: Partial<Record<keyof Kind, Record<string, Told>>> = {
  dictionary_words: {
    'a word that is deleted': async (person, text) => {
      const id = await made(person, '/dictionary/create', { words: [text] });
      return () => deleted(person, `/dictionary/${id}`);
    },
    'words that are deleted together': async (person, text) => {
      const id = await made(person, '/dictionary/create', { words: [text] });
      return () => steno.call('POST', '/dictionary/delete-many', { key: person.key, body: { ids: [id] } });
    },
  },
  snippets: {
    'a snippet that is deleted': async (person, text) => {
      const id = await made(person, '/snippets/create', { trigger: 'sig', replacement: text });
      return () => deleted(person, `/snippets/${id}`);
    },
    'the text of a snippet that is replaced': async (person, text) => {
      const id = await made(person, '/snippets/create', { trigger: 'sig', replacement: text });
      return () =>
        steno.call('PATCH', `/snippets/${id}`, { key: person.key, body: { replacement: 'another' } });
    },
  },
  folders: {
    'a folder that is deleted': async (person, text) => {
      const id = await made(person, '/folders/create', { name: text });
      return () => deleted(person, `/folders/${id}`);
    },
  },
  tags: {
    'a tag that is deleted': async (person, text) => {
      const id = await made(person, '/tags/create', { name: text });
      await made(person, '/notes/create', { content: 'words', tag_ids: [id] });
      return () => deleted(person, `/tags/${id}`);
    },
    'the name of a tag that is replaced': async (person, text) => {
      const id = await made(person, '/tags/create', { name: text });
      await made(person, '/notes/create', { content: 'words', tag_ids: [id] });
      return () => steno.call('PATCH', `/tags/${id}`, { key: person.key, body: { name: 'another' } });
    },
  },
  actions: {
    'an action that is deleted': async (person, text) => {
      const id = await made(person, '/actions', { name: 'Minutes', prompt: text });
      return () => deleted(person, `/actions/${id}`);
    },
  },
  conversations: {
    'a conversation that is deleted': async (person, text) => {
      const { key } = person;
      const headers = { accept: 'application/json' };
      await steno.call('POST', '/ask', { key, body: { question: `What is ${text}?` }, headers });
      const { body } = await steno.call('GET', '/conversations', { key });
      return () => deleted(person, `/conversations/${body.data[0].id}`);
    },
  },
  notes: {
    'the text of a note that is replaced in the same sitting': async (person, text) => {
      // Little of it, because a large part that goes is kept as a revision.
      const body = (seq: number, end: string) => ({
        content: `${'The beginning stays. '.repeat(9)}${end}`,
        edit: { session: 'one', seq },
      });
      const id = await made(person, '/notes/create', body(1, text));
      return () => steno.call('PATCH', `/notes/${id}`, { key: person.key, body: body(2, 'another') });
    },
  },
  webhooks: {
    'a webhook that is deleted': async (person, text) => {
      const id = await made(person, '/webhooks', {
        url: `http://127.0.0.1:9/${text}`,
        events: ['note.created'],
      });
      return () => deleted(person, `/webhooks/${id}`);
    },
  },
};
/** Shown by the tests above, or with the row that they belong to. */
const shownElsewhere: Partial<Record<keyof Kind, string>> = {
  note_revisions: 'with their note: a purged note',
  transcriptions: 'what was said',
  users: 'a person',
  conversation_turns: 'with their conversation',
  recordings: 'with their transcription',
  recording_stretches: 'with their recording',
  language_jobs: 'with their note',
  language_parts: 'with their job',
  workspaces: 'the same delete of a text table',
  spaces: 'with their workspace',
  invitations: 'the same delete of a text table',
  api_keys: 'the same delete of a text table',
  sessions: 'the same delete of a text table',
  passkeys: 'the same delete of a text table',
  app_passwords: 'the same delete of a text table',
  oauth_clients: 'the same delete of a text table',
  oauth_grants: 'the same delete of a text table',
  provided_identities: 'with their person',
  audit_events: 'deleted by time alone',
  email_codes: 'the same delete of a text table',
  doomed_sounds: 'ids alone',
};

test('every table with texts says here how a text in it is deleted', () => {
  const tables = Object.entries(leftBy).flatMap(([table, left]) => (left === 'text' ? [table] : []));
  expect(Object.keys({ ...ways, ...shownElsewhere }).sort()).toEqual(tables.sort());
});

test.each(Object.values(ways).flatMap((told) => Object.entries(told)))(
  '%s leaves no byte in the database or its log',
  async (name, tell) => {
    const person = await steno.person();
    const text = `xylograph${Buffer.from(name).toString('hex').slice(-16)}`;
    const erase = await tell(person, text);
    expect(filesWith(text)).not.toEqual([]);
    expect((await erase()).status).toBeLessThan(300);
    await expect.poll(() => filesWith(text)).toEqual([]);
  },
);
