import { defaultPlans } from '../../src/domain/plans.ts';
import { personalScopes } from '../../src/domain/scopes.ts';
import { connectAssistant } from './connect.ts';
import { startFakeModel } from './fake-model.ts';
import { followEvents } from './follow-events.ts';
import { encodeForm } from './form.ts';
import { allCommitted } from './horizon.ts';
import { openMailbox } from './mailbox.ts';
import { startReceiver } from './receiver.ts';
import { settled, uploadTo } from './recordings.ts';
import { createFakeSpeech, recording } from './speech.ts';
import { type Answer, startSteno, type TestSteno } from './steno.ts';

/** One call of the story: what was sent and what came back. */
export interface Told {
  method: string;
  url: string;
  body: unknown;
  answer: Answer;
}

const said = ['The roof of the old mill leaks again.', 'Anna will call the roofer on Monday.'];
const json = { accept: 'application/json' };

/**
 * A day with Steno: calls every operation of openapi.json once and hands each answer to `tell`. The examples in openapi.json are
 * these answers, so a new operation needs a line here.
 */
export async function tellStory(
  tell: (told: Told, steno: TestSteno) => void | Promise<void>,
  /** Runs before each call. */
  begin: (steno: TestSteno) => Promise<void> = async () => {},
): Promise<void> {
  const [model, mailbox, receiver] = await Promise.all([startFakeModel(), openMailbox(), startReceiver()]);
  const speech = createFakeSpeech();
  speech.say(...said);
  const steno = await startSteno({
    speech,
    config: {
      language: { url: model.url, key: '', model: '', window: 0 },
      webhookNetworks: ['127.0.0.1'],
      smtpUrl: mailbox.url,
      // So that the second recording is too long.
      plans: { ...defaultPlans, business: { ...defaultPlans.business, recordingMaxMinutes: 3 } },
    },
    webhookPollMs: 2 ** 31 - 1,
    setup: { environment: {}, restart() {}, problem: null },
  });
  try {
    await story(steno, {
      tell: (told) => tell(told, steno),
      begin: () => begin(steno),
      receiver,
      mailbox,
    });
  } finally {
    await steno.close();
    await Promise.all([model.close(), mailbox.close(), receiver.close()]);
  }
}

interface Around {
  tell(told: Told): void | Promise<void>;
  begin(): Promise<void>;
  receiver: Awaited<ReturnType<typeof startReceiver>>;
  mailbox: Awaited<ReturnType<typeof openMailbox>>;
}

function teller(steno: TestSteno, key: string, { begin, tell }: Pick<Around, 'begin' | 'tell'>) {
  return async (method: string, url: string, body?: unknown, headers: Record<string, string> = {}) => {
    const path = /^\/(api|v1)\//.test(url) ? url : `/api/v1${url}`;
    await begin();
    const answer = await steno.call(method, path, { key, headers, ...(body === undefined ? {} : { body }) });
    if (answer.status >= 400 && answer.status !== 409)
      throw new Error(`${method} ${path} answered ${answer.status} ${answer.text}`);
    await tell({ method, url: path, body, answer });
    return answer.body?.data;
  };
}

async function story(steno: TestSteno, around: Around): Promise<void> {
  const email = 'ada@example.org';
  const user = await steno.users.add({ name: 'Ada', email, plan: 'business' });
  await steno.users.add({ name: 'Agent', email: 'agent@example.org', plan: 'pro' });
  const { token } = await steno.signIn(user);
  const session = teller(steno, token, around);
  const made = await session('POST', '/keys/create', {
    name: 'My laptop',
    scopes: ['notes:read', 'llm:use'],
  });
  await session('GET', '/keys/list');
  await session('POST', `/keys/${made.id}/rotate`, { grace_hours: 24 });
  await session('POST', `/keys/${made.id}/revoke`);
  await connectAssistant(steno, user.id);
  const [grant] = await session('GET', '/api/grants');
  await session('DELETE', `/api/grants/${grant.id}`);
  const { key } = await steno.person({ name: 'Ada', scopes: [...personalScopes, 'llm:use'] });
  const call = teller(steno, key, around);
  await call('GET', '/me');
  await words(call);
  await webhook(steno, call, around);
  await notes(call);
  await recordings(steno, call, key, around.tell);
  await language(steno, call, key);
  await changes(steno, call, key, around.tell);
  await account(session, around);
  await team(steno, session, around);
  await steno.users.setOperator(user.id, true);
  await steno.store.setup.open(user.id);
  await govern(session, around);
  await session('DELETE', '/api/sessions');
}

type Call = ReturnType<typeof teller>;

async function words(call: Call): Promise<void> {
  const [word] = await call('POST', '/dictionary/create', { words: ['Kaizeli', 'Zürich'] });
  await call('GET', '/dictionary/list?limit=1');
  await call('PATCH', `/dictionary/${word.id}`, { word: 'Kaizelli' });
  await call('DELETE', `/dictionary/${word.id}`);
  const [gone] = await call('POST', '/dictionary/create', { words: ['Obsolete'] });
  await call('POST', '/dictionary/delete-many', { ids: [gone.id, word.id] });
  const snippet = await call('POST', '/snippets/create', {
    trigger: 'my address',
    replacement: '1 Mill Lane',
  });
  await call('POST', '/snippets/create-many', {
    snippets: [
      { trigger: 'kind regards', replacement: 'Kind regards, Ada' },
      { trigger: 'My address', replacement: '3 Mill Lane' },
    ],
  });
  await call('GET', '/snippets/list?limit=10');
  await call('PATCH', `/snippets/${snippet.id}`, { replacement: '2 Mill Lane' });
  await call('DELETE', `/snippets/${snippet.id}`);
}

async function notes(call: Call): Promise<void> {
  const folder = await call('POST', '/folders/create', { name: 'Trips' });
  await call('GET', '/folders/list');
  await call('PATCH', `/folders/${folder.id}`, { name: 'Journeys' });
  const content = 'We were running late for the train to Zürich.';
  const note = await call('POST', '/notes/create', { title: 'Trip', content, folder_id: folder.id });
  await call('GET', `/notes/list?limit=10&folder_id=${folder.id}`);
  const own = { content: 'Written once.', client_note_id: 'phone-1' };
  await call('POST', '/notes/create', own);
  await call('POST', '/notes/create', own);
  await call('POST', '/notes/create-many', {
    notes: [
      { title: 'First', content: 'One of many.' },
      { content: 'In no folder.', folder_id: note.id },
    ],
  });
  await call('GET', `/notes/${note.id}`);
  await call('POST', '/notes/search', { query: 'zurich run', limit: 10 });
  await call('PATCH', `/notes/${note.id}`, {
    title: 'Trip to Zürich',
    content: 'We caught the train.',
    edit: { session: 'one', seq: 1 },
  });
  await call('PATCH', `/notes/${note.id}`, { content: 'We caught it.', base_revision: 1 });
  await call('PATCH', `/notes/${note.id}`, {
    content: 'We caught the next train.',
    edit: { session: 'two', seq: 1 },
  });
  const [revision] = await call('GET', `/notes/${note.id}/revisions`);
  await call('GET', `/notes/${note.id}/revisions/${revision.id}`);
  await call('POST', `/notes/${note.id}/revisions/${revision.id}/restore`);
  await call('POST', '/notes/change', { ids: [note.id], pinned: true });
  const tag = await call('POST', '/tags/create', { name: 'Travel' });
  const train = await call('POST', '/tags/create', { name: 'Train' });
  await call('PATCH', `/notes/${note.id}`, { tags: ['travel', 'train'] });
  await call('PATCH', `/tags/${tag.id}`, { name: 'Travels' });
  await call('GET', `/notes/list?limit=10&tag_id=${tag.id}`);
  await call('GET', '/tags/list');
  await call('POST', `/tags/${train.id}/merge`, { into: tag.id });
  await call('DELETE', `/tags/${tag.id}`);
  await call('DELETE', `/notes/${note.id}`);
  await call('GET', '/notes/trash?limit=10');
  await call('POST', `/notes/${note.id}/restore`);
  await call('DELETE', `/notes/${note.id}`);
  await call('DELETE', `/notes/trash/${note.id}`);
  await call('DELETE', '/notes/trash');
  await call('DELETE', `/folders/${folder.id}`);
}

async function recordings(steno: TestSteno, call: Call, key: string, tell: Around['tell']): Promise<void> {
  const file = recording({ ms: 12_000 });
  const form = { file, language: 'en', prompt: 'Kaizeli, Zürich' };
  const answer = await steno.upload(key, form);
  await tell({ method: 'POST', url: '/api/v1/transcribe', body: { ...form, file: '(audio)' }, answer });
  const transcription = answer.body.data.id;
  await call('GET', '/transcriptions/list?limit=10&language=en');
  await call('GET', `/transcriptions/${transcription}?format=json`);
  await call('GET', `/transcriptions/${transcription}?format=text`);
  await call('GET', '/recordings/settings');
  await call('PATCH', '/recordings/settings', { keep_audio: true });
  const uploaded = await uploadTo(steno, key, recording({ ms: 61_000 }), '?name=Mill&note=true&language=en');
  const sent = { file: '(audio)', name: 'Mill', note: true, language: 'en' };
  await tell({
    method: 'POST',
    url: '/api/v1/recordings?name=Mill&note=true&language=en',
    body: sent,
    answer: uploaded,
  });
  const { id, note_id, transcription_id } = await settled(steno, key, uploaded.body.data.id);
  await call('GET', '/recordings?limit=10');
  await call('GET', `/recordings/${id}`);
  await call('GET', `/recordings/${id}/events`);
  await call('GET', `/recordings/${id}/waveform`);
  await call('GET', `/recordings/${id}/audio`);
  await call('PATCH', `/recordings/${id}`, { name: 'The old mill' });
  await call('GET', `/notes/${note_id}/transcript`);
  await call('GET', '/notes/speakers');
  await call('PATCH', `/transcriptions/${transcription_id}`, { speakers: { 'Speaker 1': 'Anna' } });
  await call('DELETE', `/transcriptions/${transcription}`);
  const long = await uploadTo(steno, key, recording({ ms: 4 * 60_000 }));
  await settled(steno, key, long.body.data.id);
  await call('POST', `/recordings/${long.body.data.id}/retry`);
  await settled(steno, key, long.body.data.id);
  await call('DELETE', `/recordings/${long.body.data.id}`);
  for (const more of [{}, { response_format: 'text' }, { stream: 'true' }]) {
    const fields = { model: 'whisper-1', ...more };
    const { payload, headers } = encodeForm({ file, ...fields });
    const url = '/v1/audio/transcriptions';
    const heard = await steno.call('POST', url, { key, headers, body: payload });
    await tell({ method: 'POST', url, body: { file: '(audio)', ...fields }, answer: heard });
  }
  const tus = { 'tus-resumable': '1.0.0' };
  const begun = await steno.call('POST', '/recordings/uploads', {
    key,
    headers: { ...tus, 'upload-length': '600' },
  });
  await tell({ method: 'POST', url: '/api/v1/recordings/uploads', body: undefined, answer: begun });
  const upload = String(begun.headers.location);
  await call('PATCH', upload, recording({ bytes: 200 }), {
    ...tus,
    'upload-offset': '0',
    'content-type': 'application/offset+octet-stream',
  });
  await call('GET', upload, undefined, tus);
  await call('DELETE', upload, undefined, tus);
}

async function language(steno: TestSteno, call: Call, key: string): Promise<void> {
  const note = await call('POST', '/notes/create', { title: 'Mill', content: said.join(' ') });
  const action = await call('POST', '/actions', {
    name: 'Letter',
    prompt: 'Write a letter about this note.',
  });
  await call('GET', '/actions');
  await call('PATCH', `/actions/${action.id}`, { name: 'Short letter' });
  const job = await call('POST', `/notes/${note.id}/enhance`, { action: 'summary' });
  await call('GET', `/language/jobs/${job.id}/events`);
  await call('GET', `/language/jobs?note_id=${note.id}`);
  await call('GET', `/language/jobs/${job.id}`);
  await call('DELETE', `/language/jobs/${job.id}`);
  await call('DELETE', `/actions/${action.id}`);
  await call('GET', '/language/settings');
  await call('PATCH', '/language/settings', { titles: true, actions: ['summary'] });
  const asked = await call('POST', '/ask', { question: 'Who will call the roofer?' }, json);
  await call('POST', '/ask', { question: 'And when?', conversation_id: asked.conversation_id });
  await call('GET', '/conversations?limit=10');
  await call('GET', `/conversations/${asked.conversation_id}`);
  await call('DELETE', `/conversations/${asked.conversation_id}`);
  const models = await steno.call('GET', '/v1/models', { key });
  await call('GET', '/v1/models');
  await call('GET', `/v1/models/${models.body.data[0].id}`);
  const messages = [{ role: 'user', content: 'hello there' }];
  await call('POST', '/v1/chat/completions', { messages });
  await call('POST', '/v1/chat/completions', { messages, stream: true });
}

async function webhook(steno: TestSteno, call: Call, { receiver }: Around): Promise<void> {
  const hook = await call('POST', '/webhooks', {
    url: receiver.url,
    events: ['note.created', 'note.deleted'],
  });
  await call('GET', '/webhooks');
  await call('GET', `/webhooks/${hook.id}`);
  await call('PATCH', `/webhooks/${hook.id}`, { events: ['note.created'], status: 'active' });
  await call('POST', '/notes/create', { content: 'This note has a webhook.' });
  await allCommitted(steno.database);
  await steno.delivery.settle();
  const [delivery] = await call('GET', `/webhooks/${hook.id}/deliveries`);
  await call('POST', `/webhooks/${hook.id}/deliveries/${delivery.id}/redeliver`);
  await call('POST', `/webhooks/${hook.id}/test`);
  await call('POST', `/webhooks/${hook.id}/rotate`, { grace_hours: 24 });
  await call('DELETE', `/webhooks/${hook.id}`);
}

async function changes(steno: TestSteno, call: Call, key: string, tell: Around['tell']): Promise<void> {
  await allCommitted(steno.database);
  await call('GET', '/changes?type=note&limit=2');
  await call('GET', '/usage');
  await call('GET', '/usage/days');
  const zip = await steno.app.inject({ url: '/api/v1/export', headers: { authorization: `Bearer ${key}` } });
  await tell({
    method: 'GET',
    url: '/api/v1/export',
    body: undefined,
    answer: { status: zip.statusCode, text: '', body: undefined, headers: zip.headers },
  });
  await call('POST', '/import', zip.rawPayload, { 'content-type': 'application/zip' });
  const address = await steno.app.listen({ host: '127.0.0.1', port: 0 });
  const events = await followEvents(address, key);
  await call('POST', '/notes/create', { content: 'Somebody follows.' });
  const first = await events.next();
  events.leave();
  const text = `id: ${first?.id}\nevent: ${first?.event}\ndata: ${JSON.stringify(first?.data)}\n\n`;
  await tell({
    method: 'GET',
    url: '/api/v1/changes/events',
    body: undefined,
    answer: { status: 200, text, body: undefined, headers: { 'content-type': 'text/event-stream' } },
  });
}

async function account(session: Call, { mailbox }: Around): Promise<void> {
  await session('POST', '/api/account/first-steps');
  await session('DELETE', '/api/account/first-steps');
  await session('PATCH', '/api/account', { name: 'Ada L.' });
  const email = 'ada@example.net';
  await session('POST', '/api/account/email-code', { email });
  await expectMail(mailbox, email);
  await session('POST', '/api/account/email', { email, code: mailbox.codeFor(email) });
  const agent = 'agent@example.org';
  await session('POST', '/auth/email-code', { email: agent });
  await expectMail(mailbox, agent);
  await session('POST', '/auth/email-code/verify', { email: agent, code: mailbox.codeFor(agent) });
}

async function expectMail({ mails }: Around['mailbox'], address: string): Promise<void> {
  while (!mails.some(({ to }) => to.includes(address)))
    await new Promise((resolve) => setTimeout(resolve, 5));
}

/** What an operator sees and does. */
async function govern(session: Call, { mailbox }: Around): Promise<void> {
  await session('GET', '/api/operator/status');
  await session('GET', '/api/operator/setup');
  const mail = { email: 'ada@example.net', smtp_url: mailbox.url, mail_from: 'Steno <steno@example.org>' };
  await session('POST', '/api/operator/setup/check', mail);
  await session('POST', '/api/operator/setup', { ...mail, public_url: 'https://notes.example.org' });
  await session('POST', '/api/operator/mail-test');
  const added = await session('POST', '/api/operator/people', { name: 'Mary', email: 'mary@example.org' });
  const path = `/api/operator/people/${added.id}`;
  await session('GET', '/api/operator/people?limit=2&query=mary');
  await session('GET', path);
  await session('PATCH', path, { plan: 'pro' });
  await session('POST', `${path}/sign-in-link`);
  await session('DELETE', `${path}/sessions`);
  await session('DELETE', path);
  const [workspace] = await session('GET', '/api/operator/workspaces?limit=2');
  await session('PATCH', `/api/operator/workspaces/${workspace.id}`, { plan: 'pro' });
  await session('GET', '/api/audit?limit=2');
  await session('GET', '/api/audit/csv?act=key.created');
}

async function team(steno: TestSteno, session: Call, around: Around): Promise<void> {
  const { id } = await session('POST', '/api/workspaces', { name: 'Research' });
  const path = `/api/workspaces/${id}`;
  await session('GET', '/api/workspaces');
  await session('PATCH', `${path}/policy`, { block_language_models: false });
  await session('GET', `${path}/policy`);
  const space = await session('POST', `${path}/spaces`, { name: 'Lab', emoji: '🔬' });
  await session('GET', `${path}/spaces`);
  await session('PATCH', `${path}/spaces/${space.id}`, { description: 'What we try.' });
  const key = await session('POST', `${path}/api-keys`, { name: 'Bot', scopes: ['workspace:*'] });
  await session('GET', `${path}/api-keys`);
  await teller(steno, key.key, around)('GET', '/spaces/list');
  await session('POST', `${path}/api-keys/${key.id}/rotate`, { grace_hours: 1 });
  await session('DELETE', `${path}/api-keys/${key.id}`);
  const email = 'grace@example.org';
  const user = await steno.users.add({ name: 'Grace', email, plan: 'pro' });
  const guest = teller(steno, (await steno.signIn(user)).token, around);
  const invite = async () => {
    const sent = await session('POST', `${path}/invitations`, { email, role: 'member' });
    return String(sent.link).split('/').at(-1);
  };
  await invite();
  const [invitation] = await session('GET', `${path}/invitations`);
  await guest('GET', '/api/invitations');
  await session('POST', `${path}/invitations/${invitation.id}/resend`);
  await session('DELETE', `${path}/invitations/${invitation.id}`);
  await guest('POST', `/api/invitations/${await invite()}/decline`);
  const token = await invite();
  await guest('GET', `/api/invitations/${token}`);
  await guest('POST', `/api/invitations/${token}/accept`);
  await session('GET', `${path}/members`);
  await session('PATCH', `${path}/members/${user.id}`, { role: 'admin' });
  await session('DELETE', `${path}/members/${user.id}`);
  await session('POST', `${path}/spaces/${space.id}/archive`);
  await session('GET', `${path}/audit?limit=2`);
  await session('GET', `${path}/audit/csv`);
  const [one] = await guest('GET', '/api/sessions');
  await guest('DELETE', `/api/sessions/${one.id}`);
  const leaving = teller(steno, (await steno.signIn(user)).token, around);
  const password = await leaving('POST', '/api/app-passwords', { name: 'My phone' });
  await leaving('GET', '/api/app-passwords');
  await leaving('DELETE', `/api/app-passwords/${password.id}`);
  await leaving('DELETE', '/api/account', { confirm: email });
}
