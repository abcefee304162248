import {
  check,
  expect,
  expectAnswer,
  expectError,
  expectLimits,
  expectPages,
  expectSame,
  invalid,
  nobody,
  type Part,
} from './check.ts';
import { dataOf, listedTranscription, note, pageOf, transcript, transcription } from './shapes.ts';
import { recording, silentWav } from './sound.ts';
import { transcribe } from './transcribe.ts';

const scopes = ['transcriptions:read', 'transcriptions:write', 'transcriptions:delete'] as const;
const cue = /^\d\d:\d\d:\d\d[.,]\d{3} --> \d\d:\d\d:\d\d[.,]\d{3}$/m;

export const transcriptions: Part = {
  name: 'Transcriptions',
  checks: [
    check(
      'GET /transcriptions/{id}: json is the default, text, srt and vtt are text/plain',
      scopes,
      async (target) => {
        const { id, text } = await transcribe(target, recording('ogg'));
        const get = (query: string) => target.api.call('GET', `/transcriptions/${id}${query}`);
        for (const query of ['', '?format=json']) expectAnswer(await get(query), 200, dataOf(transcription));
        const plain = async (format: string) => {
          const answer = expectAnswer(await get(`?format=${format}`), 200);
          expectSame(answer.headers.get('content-type'), 'text/plain; charset=utf-8', 'Content-Type');
          return answer.text;
        };
        expectSame((await plain('text')).trim(), text, 'the plain text');
        if (text === '') return;
        const [srt, vtt] = [await plain('srt'), await plain('vtt')];
        expect(/^1\r?\n/.test(srt) && cue.test(srt.replaceAll('\r', '')), `no SubRip: ${srt.slice(0, 80)}`);
        expect(
          vtt.startsWith('WEBVTT') && cue.test(vtt.replaceAll('\r', '')),
          `no WebVTT: ${vtt.slice(0, 80)}`,
        );
      },
    ),
    check('start and end are seconds, in order; segments hold the text', scopes, async (target) => {
      const { id, duration_ms, words } = await transcribe(target, recording('ogg'));
      const { segments } = (await target.api.call('GET', `/transcriptions/${id}`)).body.data;
      let [before, count] = [0, 0];
      for (const segment of segments) {
        expect(segment.start >= before && segment.end >= segment.start, 'segments are not in order');
        expect(segment.end <= duration_ms / 1000 + 1, `a segment ends at ${segment.end}`);
        before = segment.start;
        count += segment.words.length;
      }
      expect(words === 0 || count > 0, 'there are words in the text and none in the segments');
    }),
    check('srt and vtt require segments: 400 without', scopes, async (target) => {
      const { id } = await transcribe(target, silentWav(192_044));
      for (const format of ['srt', 'vtt'])
        invalid(await target.api.call('GET', `/transcriptions/${id}?format=${format}`));
      invalid(await target.api.call('GET', `/transcriptions/${id}?format=docx`));
    }),
    check('An unknown transcription is 404 not_found', scopes, async ({ api }) => {
      for (const method of ['GET', 'DELETE'])
        expectError(await api.call(method, `/transcriptions/${nobody}`), 404, 'not_found');
    }),
    check('DELETE /transcriptions/{id}: 204; again: 404', scopes, async (target) => {
      const { id } = await transcribe(target, silentWav(192_044));
      expectAnswer(await target.api.call('DELETE', `/transcriptions/${id}`), 204);
      expectError(await target.api.call('DELETE', `/transcriptions/${id}`), 404, 'not_found');
    }),
    check(
      'GET /transcriptions/list: segments are left out unless include=segments',
      scopes,
      async (target) => {
        const { id, language } = await transcribe(target, silentWav(192_044));
        await transcribe(target, silentWav(192_044));
        const list = (query: string) => target.api.call('GET', `/transcriptions/list?${query}`);
        const { body } = expectAnswer(await list(''), 200, pageOf(listedTranscription));
        for (const item of body.data) expect(!('segments' in item), 'segments without being asked for');
        expectAnswer(await list('include=segments'), 200, pageOf(transcription));
        const inLanguage = expectAnswer(await list(`language=${language}&limit=100`), 200).body.data;
        expect(
          inLanguage.some((item: { id: string }) => item.id === id),
          'not found by its language',
        );
        expectSame((await list(`note_id=${nobody}`)).body.data, [], 'the list of an unknown note');
        invalid(await list('include=everything'));
        await expectPages(target.api, '/transcriptions/list?', 100);
        await expectLimits(target.api, '/transcriptions/list?', 100, 50);
      },
    ),
    check(
      'transcription_id gives a note its transcript',
      [...scopes, 'notes:read', 'notes:write'],
      async (target) => {
        const { api, later } = target;
        const { id, text } = await transcribe(target, recording('webm'));
        const body = { content: 'Spoken', transcription_id: id };
        const made = expectAnswer(await api.call('POST', '/notes/create', { body }), 201, dataOf(note)).body
          .data;
        later(() => api.call('DELETE', `/notes/${made.id}`));
        const answer = await api.call('GET', `/notes/${made.id}/transcript`);
        const { data } = expectAnswer(answer, 200, dataOf(transcript)).body;
        expectSame([data.note_id, data.text], [made.id, text], 'the transcript');
        const listed = (await api.call('GET', `/transcriptions/list?note_id=${made.id}`)).body.data;
        expectSame(
          listed.map((item: { id: string }) => item.id),
          [id],
          'records of the note',
        );
      },
    ),
  ],
  unseen: [{ sentence: 'source beyond cloud: not shown', why: 'the document promises nothing' }],
};
