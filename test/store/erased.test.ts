import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFakeSpeech, recording } from '../support/speech.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

let steno: TestSteno;
const speech = createFakeSpeech();
beforeAll(async () => {
  steno = await startSteno({ databaseKind: 'sqlite', speech });
});
afterAll(() => steno.close());

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
