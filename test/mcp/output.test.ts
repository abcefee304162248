import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StenoWithAssistants, startWithAssistants } from '../support/assistant.ts';
import { recording } from '../support/speech.ts';

let steno: StenoWithAssistants;
beforeAll(async () => {
  steno = await startWithAssistants();
});
afterAll(() => steno.close());

async function connect(key: string) {
  const assistant = await steno.connect(key);
  const { tools } = await assistant.client.listTools();
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const seen = new Set<string>();
  return {
    tools,
    seen,
    /** Calls the tool and holds its structured answer against its own schema. */
    async use(name: string, args: Record<string, unknown> = {}) {
      const schema = tools.find((tool) => tool.name === name)?.outputSchema;
      expect(schema, name).toMatchObject({ type: 'object' });
      const { isError, body } = await assistant.use(name, args);
      expect([name, isError, body?.error]).toEqual([name, false, undefined]);
      const validate = ajv.compile(schema as object);
      expect([name, validate(body), validate.errors]).toEqual([name, true, null]);
      expect([name, validate({ data: 7 })]).toEqual([name, false]);
      seen.add(name);
      return body;
    },
  };
}

test('every tool says what it answers, and answers so', async () => {
  const { key } = await steno.person();
  const { use, tools, seen } = await connect(key);
  expect(tools.filter(({ outputSchema }) => outputSchema?.type !== 'object')).toEqual([]);
  const folder = (await use('create_folder', { name: 'Work' })).data;
  await use('update_folder', { id: folder.id, name: 'Home' });
  await use('list_folders');
  const tag = (await use('create_tag', { name: 'Boats' })).data;
  const other = (await use('create_tag', { name: 'Ships' })).data;
  const draft = { content: 'The boat', folder_id: folder.id, tags: ['boats'] };
  const { id } = (await use('create_note', draft)).data;
  await use('update_note', { id, content: 'The boat leaves' });
  await use('get_note', { id });
  await use('list_notes', { limit: 1 });
  await use('list_notes', { limit: 1, fields: 'id,title' });
  await use('search_notes', { query: 'boat' });
  const [revision] = (await use('list_note_revisions', { id })).data;
  await use('restore_note_revision', { id, revision_id: revision.id });
  await use('update_tag', { id: tag.id, name: 'Boat' });
  await use('merge_tags', { id: tag.id, into: other.id });
  expect((await use('list_tags')).data).toMatchObject([{ id: other.id, note_count: 1 }]);
  await use('delete_tag', { id: other.id });
  await use('delete_note', { id });
  await use('list_trash');
  await use('restore_note', { id });
  await use('delete_folder', { id: folder.id });
  const audio_base64 = Buffer.from(recording()).toString('base64');
  const said = (await use('transcribe_audio', { audio_base64 })).data;
  await use('list_transcriptions');
  await use('get_transcription', { id: said.id });
  await use('get_transcription', { id: said.id, format: 'srt' });
  const [segment] = (await use('get_transcription', { id: said.id })).data.segments;
  const segments = [{ position: 0, expected_text: segment.text, text: 'Corrected' }];
  await use('update_transcription', { id: said.id, segments });
  await use('list_recordings');
  await use('get_usage');
  const [word] = (await use('add_dictionary_words', { words: ['Kaizeli'] })).data;
  await use('list_dictionary');
  await use('update_dictionary_word', { id: word.id, word: 'Kaizelli' });
  await use('delete_dictionary_word', { id: word.id });
  const snippet = (await use('create_snippet', { trigger: 'my address', replacement: '1 Mill Lane' })).data;
  await use('list_snippets');
  await use('update_snippet', { id: snippet.id, replacement: '2 Mill Lane' });
  await use('delete_snippet', { id: snippet.id });
  await use('list_actions');
  await use('list_webhooks');
  // These need a job of a language model, a webhook, a recording or a note with a voice.
  const others = ['enhance_note', 'get_language_job', 'get_note_transcript', 'get_recording'];
  expect(
    tools
      .map(({ name }) => name)
      .filter((name) => !seen.has(name))
      .sort(),
  ).toEqual([...others, 'list_webhook_deliveries'].sort());
});

test('a team’s tools do too', async () => {
  const { key, space } = await steno.team();
  const { use, tools } = await connect(key);
  expect(tools.filter(({ outputSchema }) => outputSchema?.type !== 'object')).toEqual([]);
  await use('list_spaces');
  await use('create_note', { content: 'For all', space_id: space.id });
  await use('list_notes', { space_id: space.id });
});
