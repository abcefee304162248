import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runSteno } from '../test/support/process.ts';
import { earlierTexts, exportOfSomebody, openedNote } from './screenshots-notes.ts';

const recording = join(import.meta.dirname, '../assets/ask-not.ogg');

interface Door {
  address: string;
  /** Of the person who is signed in; keys and workspaces are made by people, not by keys. */
  cookie: string;
}

/** What the pictures need to open. */
export async function seed({ address, cookie, dataDir }: Door & { dataDir: string }) {
  const steno = async (...args: string[]) => {
    const { code, stdout, stderr } = await runSteno(args, { STENO_DATA_DIR: dataDir });
    if (code !== 0) throw new Error(`steno ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  const ada = callerOf({ address, cookie });
  const [{ id: userId = '' } = {}] = JSON.parse(await steno('users', 'list', '--json')) as { id?: string }[];
  await steno('users', 'set-name', userId, 'Ada Lovelace');
  await steno('users', 'set-email', userId, 'ada@example.org');
  await steno('users', 'add', '--name', 'Grace Hopper', '--email', 'grace@example.org');

  const body = await exportOfSomebody(userId);
  await ada('POST', '/api/v1/import', body, 'application/zip');
  // An import by request gives its own ids.
  const notes = await ada('GET', '/api/v1/notes/list?limit=100');
  const noteId = notes.find(({ title }) => title === openedNote.title)?.id ?? '';
  const folders = await ada('GET', '/api/v1/folders/list');
  const write = (content: string) => ada('PATCH', `/api/v1/notes/${noteId}`, { content });
  await write(earlierTexts[1]);
  const [first] = await ada('GET', `/api/v1/notes/${noteId}/revisions`);
  await ada('POST', `/api/v1/notes/${noteId}/revisions/${first?.id}/restore`, {});
  await write(openedNote.content);
  for (const title of [
    'Old shopping list',
    'Draft of the speech, as it was before anybody had read it aloud',
  ]) {
    const made = await ada('POST', '/api/v1/notes/create', { title, content: 'No longer needed.' });
    await ada('DELETE', `/api/v1/notes/${made.id}`);
  }

  await ada('POST', '/api/v1/dictionary/create', {
    words: ['Okafor', 'Zürich', 'Kysely', 'quinoa', 'Noor', 'Saoirse'],
  });
  for (const [trigger, replacement] of [
    ['my address', '12 Orchard Lane, 8001 Zürich'],
    ['sign off', 'Kind regards,\nAda'],
  ])
    await ada('POST', '/api/v1/snippets/create', { trigger, replacement });
  await ada('POST', '/api/v1/keys/create', { name: 'Laptop', expires_in_days: 90 });
  await ada('POST', '/api/v1/keys/create', { name: 'Shortcuts on the phone', scopes: ['notes:write'] });

  const { id: workspaceId } = await ada('POST', '/api/workspaces', { name: 'Field research' });
  await steno('workspaces', 'members', 'add', workspaceId, 'grace@example.org');
  const invite = { email: 'mary@example.org', managed: true };
  await ada('POST', `/api/workspaces/${workspaceId}/invitations`, invite);
  const spaces: string[] = [];
  for (const name of ['Interviews', 'Archive'])
    spaces.push((await ada('POST', `/api/workspaces/${workspaceId}/spaces`, { name })).id);
  const inSpace = { space_id: spaces[0], title: 'Questions for the harbour master', content: 'Since when?' };
  await ada('POST', '/api/v1/notes/create', inSpace);

  const link = /http\S+/.exec(await steno('users', 'sign-in-link', 'grace@example.org'))?.[0] ?? '';
  const grace = callerOf({ address, cookie: await cookieOf(new URL(link), address) });
  const { id: herWorkspace } = await grace('POST', '/api/workspaces', { name: 'Lighthouse keepers' });
  const invited = await grace('POST', `/api/workspaces/${herWorkspace}/invitations`, {
    email: 'ada@example.org',
  });

  const transcriptionId = await transcribe({ address, cookie });
  const voiceNoteId = await speak({ address, cookie });
  await ada('POST', '/api/v1/webhooks', {
    url: 'https://1.1.1.1/steno',
    events: ['note.created', 'recording.done'],
  });
  return {
    noteId,
    voiceNoteId,
    workspaceId,
    spaceId: spaces[0],
    folderId: folders.find(({ name }) => name === 'Garden')?.id ?? '',
    transcriptionId,
    invitation: new URL(invited.link ?? '/', address).pathname,
  };
}

interface Answer {
  id: string;
  title?: string;
  name?: string;
  link?: string;
}

function callerOf({ address, cookie }: Door) {
  async function call(method: 'GET', path: string): Promise<Answer[]>;
  async function call(method: string, path: string, body?: object, type?: string): Promise<Answer>;
  async function call(method: string, path: string, body?: object, type = 'application/json') {
    const response = await fetch(address + path, {
      method,
      headers: { cookie, origin: address, ...(body ? { 'content-type': type } : {}) },
      ...(body ? { body: Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return text === '' ? {} : JSON.parse(text).data;
  }
  return call;
}

/** Opens a sign-in link and presses its button. */
async function cookieOf({ pathname, search }: URL, address: string): Promise<string> {
  const link = address + pathname + search;
  const cookies = ({ headers }: Response) =>
    headers
      .getSetCookie()
      .map((cookie) => cookie.split(';')[0])
      .join('; ');
  const cookie = cookies(await fetch(link));
  const init = { method: 'POST', headers: { origin: address, cookie }, redirect: 'manual' } as const;
  return cookies(await fetch(link, init));
}

async function transcribe({ address, cookie }: Door): Promise<string> {
  const body = new FormData();
  body.append('file', new Blob([await readFile(recording)]), 'inauguration.ogg');
  const headers = { cookie, origin: address };
  const sent = await fetch(`${address}/api/v1/transcribe`, { method: 'POST', headers, body });
  return ((await sent.json()) as { data: Answer }).data.id;
}

/** Uploads a recording and waits until it is a note. */
async function speak({ address, cookie }: Door): Promise<string> {
  const headers = { cookie, origin: address };
  const body = await readFile(recording);
  const sent = await fetch(`${address}/api/v1/recordings?name=Inauguration&note=true`, {
    method: 'POST',
    headers,
    body,
  });
  const { id } = ((await sent.json()) as { data: { id: string } }).data;
  for (;;) {
    const asked = await fetch(`${address}/api/v1/recordings/${id}`, { headers });
    const { state, note_id } = ((await asked.json()) as { data: { state: string; note_id: string | null } })
      .data;
    if (state === 'done' && note_id) return note_id;
    if (state === 'failed') throw new Error('The recording failed.');
    await sleep(500);
  }
}
