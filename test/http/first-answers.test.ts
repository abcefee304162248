import fastify, { type FastifyRequest } from 'fastify';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { withFirstAnswers } from '../../src/console/first-answers.ts';
import { sessionCookie } from '../../src/domain/session.ts';

const app = fastify();
afterAll(() => app.close());
let asked: { url: string; cookie: string | undefined; ip: string; id: string | undefined }[];
let notes: { status: number; body: unknown };
beforeEach(() => {
  asked = [];
  notes = { status: 200, body: ['<b>'] };
});
app.addHook('onRequest', async ({ url, headers, ip }) => {
  asked.push({ url, cookie: headers.cookie, ip, id: String(headers['x-request-id']) });
});
app.get('/me', async (request, reply) =>
  reply.code(String(request.headers.cookie).includes('ended') ? 401 : 200).send({ name: 'Ada' }),
);
app.get('/notes', async (_, reply) => reply.code(notes.status).send(notes.body));

const script = (content: unknown) =>
  `<head><script type="application/json" id="first-answers">${JSON.stringify(content)}</script></head>`;
const page = script(['/me', '/notes']);
const cookieOf = (token: string) => String(sessionCookie(token, { secure: false })).split(';')[0] ?? '';
const mine = cookieOf('a'.repeat(43));

const filled = (url: string, cookie: string | undefined = mine, of = page) =>
  withFirstAnswers(of, {
    server: app,
    url,
    ip: '192.0.2.7',
    id: 'the-request',
    headers: cookie === '' ? {} : { cookie },
  } as unknown as FastifyRequest);
const me = { url: '/me', status: 200, body: { name: 'Ada' } };

test.each(['/', '/?tag=a', '/notes', '/notes?sort=x', '/notes/1'])(
  'the page at %s has who is signed in and their notes, asked as they ask',
  async (url) => {
    const text = await filled(url);
    // Nothing in a note ends the script.
    expect(text).not.toContain('<b>');
    expect(JSON.parse(/>(\[.*\])</.exec(text)?.[1] ?? '')).toEqual([
      me,
      { url: '/notes', status: 200, body: ['<b>'] },
    ]);
    const from = { cookie: mine, ip: '192.0.2.7', id: 'the-request' };
    expect(asked).toEqual([
      { url: '/me', ...from },
      { url: '/notes', ...from },
    ]);
  },
);

test.each(['/account', '/notesx', '/transcribe?notes'])('the page at %s has no notes', async (url) => {
  expect(await filled(url)).toBe(script([me]));
});

test.each([
  ['nobody is signed in', '', page],
  ['the cookie is of something else', 'theme=dark', page],
  ['the page asks nothing', mine, '<head></head>'],
])('the page stays as it is if %s', async (_, cookie, of) => {
  expect(await filled('/notes', cookie, of)).toBe(of);
  expect(asked).toEqual([]);
});

test('whose session has ended is told so, and no more is asked', async () => {
  const ended = cookieOf(`ended${'a'.repeat(38)}`);
  expect(await filled('/notes', ended)).toBe(script([{ ...me, status: 401 }]));
  expect(asked).toHaveLength(1);
});

test.each([
  ['may be another one in a moment', 503, { error: 'away' }],
  ['is too long', 200, 'x'.repeat(64 * 1024 + 1)],
])('an answer that %s is left for the page to ask', async (_, status, body) => {
  notes = { status, body };
  expect(await filled('/notes')).toBe(script([me]));
});

test('the longest answer comes along', async () => {
  // JSON adds two quotes and two brackets.
  notes = { status: 200, body: ['x'.repeat(64 * 1024 - 4)] };
  expect((await filled('/notes')).length).toBeGreaterThan(64 * 1024);
});
