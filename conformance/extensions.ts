import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  check,
  expect,
  expectAnswer,
  expectError,
  expectSame,
  nobody,
  type Part,
  type Target,
} from './check.ts';
import { NotSeen } from './client.ts';
import { record, text } from './rules.ts';
import { folder, pageOf } from './shapes.ts';

const write = ['notes:read', 'notes:write'] as const;

async function create({ api, later }: Target, content: string) {
  const { data } = expectAnswer(await api.call('POST', '/notes/create', { body: { content } }), 201).body;
  later(() => api.call('DELETE', `/notes/${data.id}`));
  return data;
}
const names = (record: object) => Object.keys(record).sort();

/** What this server has beyond the contract, and another server of the contract may take over. */
export const lean: Part = {
  name: 'Fields, names and errors',
  checks: [
    check('fields=: only these fields, on lists and single records', write, async (target) => {
      const { id } = await create(target, 'Fields');
      const list = await target.api.call('GET', '/notes/list?limit=1&fields=id,title');
      expectSame(names(expectAnswer(list, 200).body.data[0]), ['id', 'title'], 'fields of a listed note');
      const one = await target.api.call('GET', `/notes/${id}?fields=id`);
      expectSame(names(expectAnswer(one, 200).body.data), ['id'], 'fields of a note');
      expectError(await target.api.call('GET', '/notes/list?fields=nonsense'), 400, 'validation_error');
    }),
    check('preview: one line of up to 200 letters, if fields names it', write, async (target) => {
      const { id } = await create(target, `${'walrus '.repeat(100)}\n\nsecond`);
      const { data } = (await target.api.call('GET', `/notes/${id}?fields=preview`)).body;
      expect(/^walrus .{0,193}$/.test(data.preview ?? ''), `preview is ${JSON.stringify(data.preview)}`);
      const whole = (await target.api.call('GET', `/notes/${id}`)).body.data;
      expect(!('preview' in whole), 'preview is there although nobody asked for it');
    }),
    check('Short lists have has_more and next_cursor too', ['notes:read'], async ({ api }) => {
      expectAnswer(await api.call('GET', '/folders/list'), 200, pageOf(folder));
    }),
    check(
      'Unknown names are said in Steno-Ignored, and are 400 with Steno-Strict: 1',
      write,
      async (target) => {
        const path = '/notes/list?limt=1';
        expectSame(
          (await target.api.call('GET', path)).headers.get('steno-ignored'),
          'limt',
          'Steno-Ignored',
        );
        const strict = await target.api.call('GET', path, { headers: { 'steno-strict': '1' } });
        expectError(strict, 400, 'validation_error');
      },
    ),
    check('X-Error-Param names the field, Link the page of help', write, async ({ api }) => {
      const { headers } = await api.call('POST', '/notes/create', { body: { content: 7 } });
      expectSame(headers.get('x-error-param'), 'content', 'X-Error-Param');
      expect(/rel="?help"?/.test(headers.get('link') ?? ''), 'no Link with rel="help"');
    }),
    check('A byte order mark and application/merge-patch+json are accepted', write, async (target) => {
      const { id } = await create(target, 'Merge');
      const answer = await target.api.call('PATCH', `/notes/${id}`, {
        body: '\ufeff{"title": "Merged"}',
        headers: { 'content-type': 'application/merge-patch+json' },
      });
      expectSame(expectAnswer(answer, 200).body.data.title, 'Merged', 'title');
    }),
    check('Lists have an ETag; If-None-Match is 304', write, async ({ api }) => {
      let tag: string | null = null;
      // While something is being written there is none.
      for (let tries = 0; tag === null && tries < 20; tries += 1) {
        if (tries > 0) await sleep(100);
        tag = (await api.call('GET', '/notes/list?limit=1')).headers.get('etag');
      }
      if (tag === null) throw new NotSeen('no ETag at the moment: something is being written');
      const again = await api.call('GET', '/notes/list?limit=1', { headers: { 'if-none-match': tag } });
      expect(
        again.status === 304 || again.headers.get('etag') !== tag,
        `the same ETag again: ${again.status}`,
      );
    }),
    check('Idempotency-Key: the same request again creates nothing', write, async (target) => {
      const { api, later } = target;
      const send = () =>
        api.call('POST', '/notes/create', {
          body: { content: 'Once' },
          headers: { 'idempotency-key': key },
        });
      const key = randomUUID();
      const first = expectAnswer(await send(), 201).body.data;
      later(() => api.call('DELETE', `/notes/${first.id}`));
      const second = await send();
      expectSame(
        [second.body.data?.id, second.headers.get('idempotency-replayed')],
        [first.id, 'true'],
        'the second',
      );
    }),
  ],
  unseen: [],
};

export const many: Part = {
  name: 'Many at once',
  checks: [
    check('POST /notes/create-many: each row has status, data and error', write, async ({ api, later }) => {
      const body = {
        notes: [{ content: 'One of many' }, { content: 7 }, { content: 'x', folder_id: nobody }],
      };
      const { data } = expectAnswer(await api.call('POST', '/notes/create-many', { body }), 200).body;
      later(() => api.call('DELETE', `/notes/${data[0]?.data?.id}`));
      expectSame(
        data.map((row: { status: number }) => row.status),
        [201, 400, 400],
        'the statuses',
      );
      expectSame(
        data.map((row: { error?: { param: string } }) => row.error?.param ?? null),
        [null, 'content', 'folder_id'],
        'param',
      );
      const none = await api.call('POST', '/notes/create-many', { body: { notes: [] } });
      expectError(none, 400, 'validation_error');
    }),
    check(
      'POST /snippets/create-many: a trigger that is taken is 409 in its row',
      ['snippets:write'],
      async ({ api, later }) => {
        const trigger = `many ${randomUUID()}`;
        const row = { trigger, replacement: 'x' };
        const answer = await api.call('POST', '/snippets/create-many', { body: { snippets: [row, row] } });
        const { data } = expectAnswer(answer, 200).body;
        later(() => api.call('DELETE', `/snippets/${data[0]?.data?.id}`));
        expectSame(
          data.map((one: { status: number }) => one.status),
          [201, 409],
          'the statuses',
        );
      },
    ),
    check(
      'POST /dictionary/delete-many: 204 for each word, 404 for one that is gone',
      ['dictionary:write'],
      async ({ api }) => {
        const made = await api.call('POST', '/dictionary/create', { body: { words: [`w${randomUUID()}`] } });
        const ids = [made.body.data[0].id, nobody];
        const { data } = expectAnswer(
          await api.call('POST', '/dictionary/delete-many', { body: { ids } }),
          200,
        ).body;
        expectSame(
          data.map((one: { status: number }) => one.status),
          [204, 404],
          'the statuses',
        );
      },
    ),
  ],
  unseen: [],
};

// An address that needs no name server. Nothing is sent: the webhook is gone before a recording can fail.
const receiver = 'https://1.1.1.1/conformance';

interface MadeWebhook {
  id: string;
  secret: string;
}

async function withWebhook({ api }: Target, look: (webhook: MadeWebhook) => Promise<void>): Promise<void> {
  const body = { url: receiver, events: ['recording.failed'] };
  const answer = await api.call('POST', '/webhooks', { body });
  if (answer.status === 400) throw new NotSeen(`the server refuses ${receiver}`);
  const { data } = expectAnswer(answer, 201).body;
  await look(data).finally(() => api.call('DELETE', `/webhooks/${data.id}`));
}

const hear = [...write, 'transcriptions:read'] as const;

export const webhooks: Part = {
  name: 'Webhooks',
  checks: [
    check('POST /webhooks: the secret is shown once', hear, (target) =>
      withWebhook(target, async ({ id, secret }) => {
        expect(/^whsec_/.test(secret ?? ''), 'no secret of Standard Webhooks');
        const shown = expectAnswer(await target.api.call('GET', `/webhooks/${id}`), 200);
        expect(!shown.text.includes('whsec_'), 'the secret is shown again');
      }),
    ),
    check('POST /webhooks/{id}/rotate: a new secret, and until when the old one signs', hear, (target) =>
      withWebhook(target, async ({ id, secret }) => {
        const answer = await target.api.call('POST', `/webhooks/${id}/rotate`, { body: { grace_hours: 1 } });
        const { data } = expectAnswer(answer, 200).body;
        expect(data.secret !== secret, 'the secret is the old one');
        expect(Date.parse(data.old_secret_until) > Date.now(), 'the old secret ends at once');
      }),
    ),
    check('GET /webhooks/{id}/deliveries: pages', hear, (target) =>
      withWebhook(target, async ({ id }) => {
        const answer = await target.api.call('GET', `/webhooks/${id}/deliveries`);
        expectAnswer(answer, 200, pageOf(record({ id: text })));
      }),
    ),
  ],
  unseen: [
    { sentence: 'POST /webhooks/{id}/test sends a signed event', why: 'it would be sent to somebody' },
  ],
};
