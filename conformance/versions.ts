import { randomUUID } from 'node:crypto';
import {
  check,
  expect,
  expectAnswer,
  expectError,
  expectInvalid,
  expectSame,
  type Part,
  type Target,
} from './check.ts';
import { NotSeen, type Told } from './client.ts';
import { integer, record } from './rules.ts';
import { dataOf, note } from './shapes.ts';

const write = ['notes:read', 'notes:write'] as const;

async function create({ api, later }: Target, fields: object = {}, status = 201) {
  const answer = await api.call('POST', '/notes/create', { body: { content: 'Version one', ...fields } });
  const { data } = expectAnswer(answer, status, dataOf(note)).body;
  if (status === 201) later(() => api.call('DELETE', `/notes/${data.id}`));
  return data;
}
const patch = ({ api }: Target, id: string, body: object, headers = {}) =>
  api.call('PATCH', `/notes/${id}`, { body, headers });
const read = async ({ api }: Target, id: string) => (await api.call('GET', `/notes/${id}`)).body.data;
const change = async (target: Target, id: string, body: object, headers = {}) =>
  expectAnswer(await patch(target, id, body, headers), 200, dataOf(note)).body.data;

/** The same request must be refused, and leave the note as it was. */
async function expectStale(target: Target, id: string, code: string, body: object, headers = {}) {
  const before = await read(target, id);
  const answer = expectError(await patch(target, id, { content: 'Stale', ...body }, headers), 409, code);
  expectSame(await read(target, id), before, 'the note after a stale change');
  return answer;
}

export const versions: Part = {
  name: 'Versions',
  checks: [
    check('Notes have revision, +1 with each change', write, async (target) => {
      const made = await create(target);
      expectAnswer(
        await target.api.call('GET', `/notes/${made.id}`),
        200,
        dataOf(record({ revision: integer })),
      );
      const changes = [{ content: 'Version two' }, { title: 'Title' }, { enhanced_content: 'Better' }];
      const revisions = [made.revision];
      for (const body of changes) revisions.push((await change(target, made.id, body)).revision);
      const wanted = revisions.map((_, at) => made.revision + at);
      expectSame(revisions, wanted, 'the revisions');
    }),
    check('A change that changes nothing keeps revision and updated_at', write, async (target) => {
      const made = await create(target);
      const { revision, updated_at } = await change(target, made.id, { content: made.content });
      expectSame([revision, updated_at], [made.revision, made.updated_at], 'revision and updated_at');
    }),
    check(
      'PATCH takes base_revision; stale: 409 note_version_conflict with data, the note',
      write,
      async (target) => {
        const made = await create(target);
        const now = await change(target, made.id, { content: 'Two', base_revision: made.revision });
        const body = { base_revision: made.revision };
        const stale = await expectStale(target, made.id, 'note_version_conflict', body);
        expectAnswer(stale, 409, dataOf(note));
        expectSame([stale.body.data.content, stale.body.data.revision], ['Two', now.revision], 'data');
        await expectInvalid(target.api, 'PATCH', `/notes/${made.id}`, [{ base_revision: 'one' }]);
      },
    ),
    check('PATCH takes If-Match; stale: 409 conflict', write, async (target) => {
      const { id } = await create(target);
      const tag = (await target.api.call('GET', `/notes/${id}`)).headers.get('etag') ?? '';
      expect(tag !== '', 'GET /notes/{id} has no ETag');
      await change(target, id, { content: 'Two' }, { 'if-match': tag });
      await expectStale(target, id, 'conflict', {}, { 'if-match': tag });
    }),
    check('PATCH takes expected_updated_at; stale: 409 conflict', write, async (target) => {
      const { id, updated_at: expected_updated_at } = await create(target);
      await change(target, id, { content: 'Two', expected_updated_at });
      await expectStale(target, id, 'conflict', { expected_updated_at });
    }),
    check('field_updates: set or clear content and enhanced_content', write, async (target) => {
      const { id } = await create(target, { enhanced_content: 'Better' });
      const field_updates = { content: 'set', enhanced_content: 'clear' };
      const changed = await change(target, id, { content: 'Two', field_updates });
      expectSame([changed.content, changed.enhanced_content], ['Two', null], 'the fields');
      await expectInvalid(target.api, 'PATCH', `/notes/${id}`, [{ field_updates: { content: 'other' } }]);
    }),
    check('client_note_id on create: the same again is the existing note, 200', write, async (target) => {
      const client_note_id = randomUUID();
      const made = await create(target, { client_note_id });
      expectSame(made.client_note_id, client_note_id, 'client_note_id');
      const again = await create(target, { client_note_id, content: 'Other' }, 200);
      expectSame([again.id, again.content], [made.id, made.content], 'the note of the second call');
    }),
    check(
      'edit on create and PATCH: the same pair again answers 200 with the note',
      write,
      async (target) => {
        const session = randomUUID();
        const made = await create(target, { edit: { session, seq: 1 } });
        const again = await create(target, { edit: { session, seq: 1 } }, 200);
        expectSame([again.id, again.revision], [made.id, made.revision], 'the note made again');
        const body = { content: 'Two', base_revision: made.revision, edit: { session, seq: 2 } };
        const once = await change(target, made.id, body);
        const twice = await change(target, made.id, body);
        expectSame([twice.content, twice.revision], [once.content, once.revision], 'the note changed again');
        await expectInvalid(target.api, 'PATCH', `/notes/${made.id}`, [{ edit: { session } }, { edit: 1 }]);
      },
    ),
    check('No text disappears without a version', write, async (target) => {
      const { id } = await create(target, { content: 'The first text' });
      await change(target, id, { content: '' });
      const answer = await target.api.call('GET', `/notes/${id}/revisions`);
      if (answer.status === 404) throw new NotSeen('the server lists versions elsewhere');
      const [last] = expectAnswer(answer, 200).body.data;
      const kept = await target.api.call('GET', `/notes/${id}/revisions/${last?.id}`);
      expectSame(expectAnswer(kept, 200).body.data.content, 'The first text', 'the last version');
    }),
  ],
  unseen: [],
};

export const changes: Part = {
  name: 'Changes as events',
  checks: [
    check('GET /changes/events: the changes feed as server-sent events', write, async (target) => {
      let id = '';
      const isOurs = (told: Told) => told.data?.id === id;
      const events = await target.api.events('/changes/events', isOurs, async () => {
        ({ id } = await create(target));
      });
      expectSame(events[0]?.event, 'ready', 'the first event');
      // The change of another writer may come first, also one that was made just before.
      const told = events.find(isOurs);
      expectSame(
        [told?.event, told?.data.type, told?.data.action],
        ['change', 'note', 'created'],
        'the event',
      );
    }),
    check('same cursors', write, async (target) => {
      const ids: string[] = [];
      const { next_cursor } = expectAnswer(await target.api.call('GET', '/changes'), 200).body;
      for (const content of ['one', 'two']) ids.push((await create(target, { content })).id);
      const since = `since=${encodeURIComponent(next_cursor)}`;
      const events = await target.api.events(`/changes/events?${since}`, ({ data }) => data?.id === ids[1]);
      const [first, second] = events.filter(({ data }) => ids.includes(data?.id));
      expectSame([first?.data.id, second?.data.id], ids, 'the events after a cursor of GET /changes');
      const after = `since=${encodeURIComponent(first?.id ?? '')}`;
      const { data } = expectAnswer(await target.api.call('GET', `/changes?${after}`), 200).body;
      expectSame(data[0]?.id, ids[1], 'the first change after the id of an event');
      const wrong = await target.api.call('GET', '/changes/events?since=nonsense');
      expectError(wrong, 400, 'validation_error');
    }),
  ],
  unseen: [],
};
