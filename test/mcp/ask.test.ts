import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type StenoWithAssistants, startWithAssistants } from '../support/assistant.ts';
import { startFakeModel } from '../support/fake-model.ts';

describe('an assistant that asks notes', () => {
  let model: Awaited<ReturnType<typeof startFakeModel>>;
  let steno: StenoWithAssistants;
  beforeAll(async () => {
    model = await startFakeModel();
    steno = await startWithAssistants({
      config: { language: { url: model.url, key: '', model: '', window: 0 } },
    });
  });
  afterAll(async () => {
    await steno.close();
    await model.close();
  });

  test('gets an answer with citations, and can ask on', async () => {
    const { key } = await steno.person();
    const body = { title: 'Roof', content: 'The roof repair costs 8,000 euros. It is due on 3 June.' };
    const { id } = (await steno.call('POST', '/notes/create', { key, body })).body.data;
    const assistant = await steno.connect(key);
    expect(await assistant.toolNames()).toContain('ask_notes');
    model.answerWith(() => 'The roof repair costs 8000 euros [1].');
    const first = await assistant.use('ask_notes', { question: 'What does the roof repair cost?' });
    expect(first.isError).toBe(false);
    expect(first.body.data).toMatchObject({
      found: true,
      answer: 'The roof repair costs 8000 euros [1].',
      citations: [{ number: 1, note_id: id, title: 'Roof' }],
    });
    const { conversation_id } = first.body.data;
    model.answerWith(() => 'It is due on 3 June [1].');
    const second = await assistant.use('ask_notes', { question: 'And when?', conversation_id });
    expect(second.body.data).toMatchObject({ found: true, conversation_id });
    const third = await assistant.use('ask_notes', { question: 'What about zebras?' });
    expect(third.body.data).toMatchObject({ found: false, citations: [] });
  });

  test('is told what went wrong', async () => {
    const { key } = await steno.person();
    await steno.call('POST', '/notes/create', { key, body: { content: 'The cat sleeps.' } });
    const assistant = await steno.connect(key);
    model.next('busy');
    const { isError, body } = await assistant.use('ask_notes', { question: 'What does the cat do?' });
    expect([isError, body.error.code]).toEqual([true, 'service_unavailable']);
  });
});
