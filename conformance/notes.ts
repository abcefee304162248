import {
  check,
  expect,
  expectAnswer,
  expectError,
  expectInvalid,
  expectLimits,
  expectPages,
  expectSame,
  invalid,
  nobody,
  type Part,
  type Target,
} from './check.ts';
import { aFolder } from './folders.ts';
import { listOf } from './rules.ts';
import { dataOf, foundNote, note, noteWithTranscript, pageOf } from './shapes.ts';

const write = ['notes:read', 'notes:write'] as const;

async function createNote({ api, later }: Target, fields: object = {}) {
  const answer = await api.call('POST', '/notes/create', { body: { content: 'Conformance', ...fields } });
  const { body } = expectAnswer(answer, 201, dataOf(note));
  later(() => api.call('DELETE', `/notes/${body.data.id}`));
  return body.data;
}

export const notes: Part = {
  name: 'Notes',
  checks: [
    check('POST /notes/create: 201 and the note', write, async (target) => {
      const made = await createNote(target, { unknown_field: 1 });
      expectSame([made.note_type, made.title, made.folder_id], ['personal', null, null], 'defaults');
      expectSame(made.content, 'Conformance', 'content');
    }),
    check('title, enhanced_content, note_type and folder_id are kept', write, async (target) => {
      const folder = await aFolder(target.api);
      const fields = { title: 'Títle ✓', enhanced_content: 'Better', folder_id: folder.id };
      for (const note_type of ['personal', 'meeting', 'upload']) {
        const made = await createNote(target, { ...fields, note_type });
        const { title, enhanced_content, folder_id } = made;
        expectSame({ title, enhanced_content, folder_id }, fields, 'the note');
        expectSame(made.note_type, note_type, 'note_type');
      }
    }),
    check('A wrong type or an out-of-range value is 400 validation_error', write, async ({ api }) => {
      const wrong = [
        {},
        { content: 7 },
        { content: null },
        { content: 'x', title: 7 },
        { content: 'x', title: 'x'.repeat(501) },
        { content: 'x', note_type: 'other' },
        { content: 'x', folder_id: 'none' },
        { content: 'x', transcription_id: nobody },
      ];
      await expectInvalid(api, 'POST', '/notes/create', wrong);
    }),
    check('A folder_id that does not exist is 400 validation_error', write, async (target) => {
      await expectInvalid(target.api, 'POST', '/notes/create', [{ content: 'x', folder_id: nobody }]);
      const { id } = await createNote(target);
      await expectInvalid(target.api, 'PATCH', `/notes/${id}`, [{ folder_id: nobody }]);
    }),
    check('content may be "" when a title is given', write, async (target) => {
      const made = await createNote(target, { content: '', title: 'Silence' });
      expectSame(made.content, '', 'content');
      await expectInvalid(target.api, 'POST', '/notes/create', [{ content: '' }]);
    }),
    check('Personal keys must not send space_id (400)', write, async (target) => {
      const { api } = target;
      await expectInvalid(api, 'POST', '/notes/create', [{ content: 'x', space_id: nobody }]);
      await expectInvalid(api, 'POST', '/notes/search', [{ query: 'x', space_id: nobody }]);
      invalid(await api.call('GET', `/notes/list?space_id=${nobody}`));
      const { id } = await createNote(target);
      await expectInvalid(api, 'PATCH', `/notes/${id}`, [{ space_id: nobody }]);
    }),
    check('GET /notes/{id}: the note with its transcript', write, async (target) => {
      const { id } = await createNote(target);
      const { body } = expectAnswer(
        await target.api.call('GET', `/notes/${id}`),
        200,
        dataOf(noteWithTranscript),
      );
      expectSame([body.data.id, body.data.transcript], [id, null], 'id and transcript');
    }),
    check('An unknown note gives 404 not_found, Note not found', write, async ({ api }) => {
      for (const [method, path] of [
        ['GET', `/notes/${nobody}`],
        ['PATCH', `/notes/${nobody}`],
        ['DELETE', `/notes/${nobody}`],
        ['GET', `/notes/${nobody}/transcript`],
      ] as const) {
        const body = method === 'PATCH' ? { title: 'x' } : undefined;
        const answer = expectError(await api.call(method, path, { body }), 404, 'not_found');
        expect(/Note not found/.test(answer.body.error.message), `${method}: ${answer.body.error.message}`);
      }
    }),
    check('PATCH /notes/{id}: only given fields change', write, async (target) => {
      const folder = await aFolder(target.api);
      const made = await createNote(target, { title: 'Before', folder_id: folder.id });
      const change = async (body: object) =>
        expectAnswer(await target.api.call('PATCH', `/notes/${made.id}`, { body }), 200, dataOf(note)).body
          .data;
      const titled = await change({ title: 'After' });
      expectSame(
        [titled.title, titled.content, titled.folder_id],
        ['After', made.content, folder.id],
        'note',
      );
      expect(titled.updated_at >= made.updated_at, 'updated_at went back');
      expectSame((await change({ folder_id: null })).folder_id, null, 'folder_id taken out');
      expectSame((await change({ content: '' })).content, '', 'content cleared');
      expectSame((await change({ enhanced_content: 'E' })).enhanced_content, 'E', 'enhanced_content');
      const { title, content } = await change({});
      expectSame([title, content], ['After', ''], 'the note after an empty body');
      await expectInvalid(target.api, 'PATCH', `/notes/${made.id}`, [{ title: 7 }, { content: null }]);
    }),
    check('DELETE /notes/{id}: soft delete, 204; again: 404', write, async (target) => {
      const { id } = await createNote(target);
      expectAnswer(await target.api.call('DELETE', `/notes/${id}`), 204);
      for (const method of ['DELETE', 'GET'])
        expectError(await target.api.call(method, `/notes/${id}`), 404, 'not_found');
      const { body } = await target.api.call('GET', '/notes/list?limit=100');
      expect(!body.data.some((listed: { id: string }) => listed.id === id), 'a deleted note is listed');
    }),
    check('GET /notes/list: a page of notes, newest first', write, async (target) => {
      const made = [await createNote(target), await createNote(target)];
      const { body } = expectAnswer(await target.api.call('GET', '/notes/list?limit=2'), 200, pageOf(note));
      const ids = body.data.map((listed: { id: string }) => listed.id);
      expectSame(ids, [made[1].id, made[0].id], 'the first two notes');
      await expectPages(target.api, '/notes/list?', 100);
    }),
    check('limit 1-100, default 50; a bad cursor is 400', write, async ({ api }) => {
      await expectLimits(api, '/notes/list?', 100, 50);
    }),
    check('folder_id narrows the list', write, async (target) => {
      const folder = await aFolder(target.api);
      const inside = await createNote(target, { folder_id: folder.id });
      const outside = await createNote(target);
      const { body } = await target.api.call('GET', `/notes/list?folder_id=${folder.id}`);
      const ids = body.data.map((listed: { id: string }) => listed.id);
      expectSame([ids.includes(inside.id), ids.includes(outside.id)], [true, false], 'inside and outside');
      for (const listed of body.data) expectSame(listed.folder_id, folder.id, 'folder_id of a listed note');
    }),
    check('A notes cursor that is a bare ISO timestamp must be accepted', write, async (target) => {
      const made = await createNote(target);
      const cursor = encodeURIComponent(made.created_at);
      const { body } = expectAnswer(
        await target.api.call('GET', `/notes/list?cursor=${cursor}`),
        200,
        pageOf(note),
      );
      for (const listed of body.data) expect(listed.created_at <= made.created_at, 'a newer note is listed');
    }),
    check('POST /notes/search: notes with a score', write, async (target) => {
      const word = `zanzibar${Date.now()}`;
      const made = await createNote(target, { title: 'Trip', content: `To ${word} by boat` });
      const search = (body: object) => target.api.call('POST', '/notes/search', { body });
      const { body } = expectAnswer(await search({ query: word }), 200, dataOf(listOf(foundNote)));
      expectSame(body.data[0]?.id, made.id, 'the first note found');
      expectSame((await search({ query: word, limit: 1 })).body.data.length, 1, 'number found with limit 1');
    }),
    check('query 1-500, limit 1-50 default 20', write, async ({ api }) => {
      const queries = ['', 7, null, 'x'.repeat(501)].map((query) => ({ query }));
      const limits = [0, 51, 1.5, '1'].map((limit) => ({ query: 'x', limit }));
      await expectInvalid(api, 'POST', '/notes/search', [{}, ...queries, ...limits]);
      const answer = await api.call('POST', '/notes/search', { body: { query: 'a', limit: 50 } });
      expectAnswer(answer, 200);
      const usual = await api.call('POST', '/notes/search', { body: { query: 'a' } });
      expect(usual.body.data.length <= 20, 'more than 20 without a limit');
    }),
    check('A note without a transcript: 404 no_transcript', write, async (target) => {
      const { id } = await createNote(target);
      expectError(await target.api.call('GET', `/notes/${id}/transcript`), 404, 'no_transcript');
    }),
  ],
  unseen: [
    { sentence: 'or one belonging to another user', why: 'needs the id of a note of another account' },
    { sentence: 'participants and calendar_event_id hold something', why: 'no route of the API writes them' },
  ],
};
