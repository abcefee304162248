import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Config } from '../../src/config.ts';
import { personalKeysOf } from '../../src/domain/api-key.ts';
import { audioPath } from '../../src/domain/export.ts';
import { operator } from '../../src/domain/principal.ts';
import { personalScopes } from '../../src/domain/scopes.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import { composeServices } from '../../src/services.ts';
import { jsonLines, noteRecord, ours, ownTime, recordingRecord, zipped } from '../support/exports.ts';
import { asOperator } from '../support/identity.ts';
import { startServer } from '../support/process.ts';
import { tone, wavOf } from '../support/sound.ts';
import { databaseKinds, emptyDatabase } from '../support/steno.ts';
import { teamActs } from '../support/teams.ts';

const counts = {
  folders: 20,
  notes: 600,
  transcriptions: 300,
  recordings: 60,
  dictionary: 300,
  // On a fast disk 200 of them were there before the test could look.
  snippets: 2_000,
};
type Kind = keyof typeof counts;
const make = <Item>(kind: Kind, one: (at: number) => Item) =>
  Array.from({ length: counts[kind] }, (_, at) => one(at));

const sound = wavOf(tone(20));

/** An export in which everything that can be linked is. */
function exported(): Promise<Buffer> {
  const times = { created_at: ownTime(), updated_at: ownTime() };
  const folders = make('folders', (at) => ({
    id: newUuid(),
    name: `folder ${at}`,
    sort_order: at,
    is_default: false,
    ...times,
  }));
  const notes = make('notes', (at) =>
    noteRecord({ content: `note ${at}`, folder_id: folders[at % counts.folders]?.id ?? null }),
  );
  const transcriptions = make('transcriptions', (at) => ({
    id: newUuid(),
    user_id: 'somebody',
    note_id: notes[at]?.id ?? null,
    status: 'completed',
    text: `words ${at}`,
    word_count: 2,
    source: 'api',
    provider: null,
    model: null,
    language: null,
    reason: null,
    audio_duration_ms: null,
    processing_ms: null,
    segments: null,
    created_at: ownTime(),
  }));
  const recordings = make('recordings', (at) =>
    recordingRecord({
      name: `recording ${at}.wav`,
      bytes: sound.length,
      state: 'done',
      transcription_id: transcriptions[at]?.id ?? null,
      note_id: notes[at]?.id ?? null,
    }),
  );
  return zipped({
    ...ours,
    'data/folders.jsonl': jsonLines(...folders),
    'data/notes.jsonl': jsonLines(...notes),
    'data/transcriptions.jsonl': jsonLines(...transcriptions),
    'data/recordings.jsonl': jsonLines(...recordings),
    'data/dictionary.jsonl': jsonLines(
      ...make('dictionary', (at) => ({ id: newUuid(), word: `word${at}`, source: 'manual', ...times })),
    ),
    'data/snippets.jsonl': jsonLines(
      ...make('snippets', (at) => ({ id: newUuid(), trigger: `t${at}`, replacement: 'r', ...times })),
    ),
    ...Object.fromEntries(recordings.map((one) => [audioPath(one), sound])),
  });
}

describe.each(databaseKinds)('a server that is killed while it imports, on %s', (kind) => {
  let config: Config;
  let dispose: () => Promise<void>;
  let key: string;
  beforeAll(async () => {
    ({ config, dispose } = await emptyDatabase(kind));
    const services = await composeServices(config);
    const { close } = services;
    const { users } = asOperator(services);
    const { keys } = teamActs(services);
    const { id } = await users.add({ name: 'Ada', email: null, plan: 'business' });
    const draft = { name: 'test', scopes: personalScopes };
    ({ key } = await keys.issue(operator, personalKeysOf(id), draft));
    await close();
  });
  afterAll(() => dispose());

  test('has everything once after the same file is imported again', async () => {
    const zip = await exported();
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/zip' };
    const rows = async (what: Kind): Promise<number> => {
      const table = what === 'dictionary' ? 'dictionary_words' : what;
      const { count } = await inspected.database.db
        .selectFrom(table)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return Number(count);
    };
    // Beside the server, as the commands of the operator are: asking it would use up what the key may ask.
    let inspected = await composeServices(config);
    const send = (address: string) =>
      fetch(`${address}/api/v1/import`, { method: 'POST', headers, body: new Uint8Array(zip) }).then(
        async (answer) => JSON.parse(await answer.text()),
        () => 'cut off' as const,
      );
    const cutOff: Kind[] = [];
    for (const during of ['notes', 'transcriptions', 'recordings', 'snippets'] as const) {
      const server = await startServer(config);
      const sent = send(server.address);
      let answer: unknown;
      void sent.then((one) => {
        answer = one;
      });
      while ((await rows(during)) < counts[during] / 10) {
        expect(answer, `before its ${during} came`).toBeUndefined();
        await sleep(2);
      }
      await server.kill();
      if ((await sent) === 'cut off') cutOff.push(during);
      expect(await rows(during)).toBeLessThan(counts[during]);
    }
    expect(cutOff).toEqual(['notes', 'transcriptions', 'recordings', 'snippets']);

    let server = await startServer(config);
    const { data } = await send(server.address);
    expect(data).toMatchObject({ notes: 0, recordings: 0, without_audio: 0, not_transcribed: 0 });
    const again = (await send(server.address)).data;
    const all = Object.values(counts).reduce((sum, count) => sum + count);
    expect(again).toMatchObject({ ...noneOf(counts), known: all });
    await server.stop();
    await inspected.close();
    // What the killed ones left is swept at the start.
    server = await startServer(config);
    inspected = await composeServices(config);
    await inspected.sweepAudio();
    const get = async (path: string) => fetch(`${server.address}/api/v1${path}`, { headers });
    for (const what of [
      'folders',
      'notes',
      'transcriptions',
      'recordings',
      'dictionary',
      'snippets',
    ] as const)
      expect([what, await rows(what)]).toEqual([what, counts[what]]);
    const { data: recordings } = JSON.parse(await (await get('/recordings?limit=100')).text());
    expect(recordings).toHaveLength(counts.recordings);
    const linked = new Set(recordings.map((one: Record<string, string>) => one.note_id));
    expect(linked.size).toBe(counts.recordings);
    for (const { id, state, has_audio, transcription_id } of recordings) {
      expect([state, has_audio, typeof transcription_id]).toEqual(['done', true, 'string']);
      const audio = await get(`/recordings/${id}/audio`);
      expect(Buffer.from(await audio.arrayBuffer()).equals(sound)).toBe(true);
    }
    await inspected.close();
    await server.stop();
  }, 900_000);
});

const noneOf = ({ dictionary: _, ...others }: typeof counts) => ({
  ...Object.fromEntries(Object.keys(others).map((kind) => [kind, 0])),
  dictionary_words: 0,
});
