import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const recording = join(import.meta.dirname, '../assets/ask-not.ogg');

const notes = [
  {
    folder: 'Garden',
    title: 'Watering plan for August',
    content:
      'The garden gets **two long soaks a week** instead of a little every day, so that the roots go down.\n\n## Order\n\n- Tomatoes and beans first, before nine\n- The lemon only when its soil is dry to the second knuckle\n- New hedge: one can per plant, slowly\n\n> Ask Noor whether the barrel behind the shed can be joined to the gutter.\n\nIf it rains more than 10 mm, skip the next one. Gauge readings go into `rain.csv`.',
  },
  {
    folder: 'Work',
    title: 'Interview with Dr Okafor',
    content:
      'Forty minutes, recorded with permission. The part about **consent forms** begins at 12:30 and is the one to quote.\n\n1. Why the clinic changed its opening hours\n2. What patients said about it\n3. What she would do differently',
  },
  {
    folder: 'Work',
    title: 'Stand-up, Tuesday',
    content:
      'Import of the old archive is through. Mira looks at the two files that would not decode. Demo moves to Thursday.',
  },
  {
    folder: null,
    title: 'Train thoughts',
    content: 'What if the notes from the garden were read aloud while driving home?',
  },
  {
    folder: 'Recipes',
    title: 'Lentil soup, as told by Grandma',
    content:
      'Two onions, patience, red lentils. Cumin goes in **before** the water. Lemon at the end, never earlier.',
  },
  { folder: null, title: 'Parcel', content: 'Pick-up code 4471, shop closes at 19:00. Bring the passport.' },
  {
    folder: 'Recipes',
    title: 'Sourdough log',
    content: 'Day 6: doubled in five hours at 24 °C. Smells of apples.',
  },
  {
    folder: null,
    title: 'Books from the radio',
    content: 'A Field Guide to Getting Lost. The Living Mountain. Something about lighthouses, ask again.',
  },
];

interface Door {
  address: string;
  /** Of the person who is signed in; keys and workspaces are made by people, not by keys. */
  cookie: string;
}

/** An account that looks lived in: notes in folders, words, snippets, keys, a workspace and a transcription. */
export async function seed({ address, cookie }: Door) {
  async function send(path: string, init: { body: string | FormData; headers?: Record<string, string> }) {
    const headers = { cookie, origin: address, ...init.headers };
    const response = await fetch(address + path, { method: 'POST', body: init.body, headers });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    const { data } = (await response.json()) as { data: { id: string; link?: string } };
    return data;
  }
  const post = (path: string, body: unknown) =>
    send(path, { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });

  const folders = new Map<string, string>();
  for (const name of ['Garden', 'Work', 'Recipes'])
    folders.set(name, (await post('/api/v1/folders/create', { name })).id);
  let noteId = '';
  for (const { folder, ...note } of notes.toReversed()) {
    const folder_id = folder === null ? null : folders.get(folder);
    noteId = (await post('/api/v1/notes/create', { ...note, folder_id })).id;
  }
  for (const title of [
    'Old shopping list',
    'Draft of the speech, as it was before anybody had read it aloud',
  ]) {
    const { id } = await post('/api/v1/notes/create', { title, content: 'No longer needed.' });
    await fetch(`${address}/api/v1/notes/${id}`, { method: 'DELETE', headers: { cookie, origin: address } });
  }

  await post('/api/v1/dictionary/create', {
    words: ['Okafor', 'Zürich', 'Kysely', 'quinoa', 'Noor', 'Saoirse'],
  });
  await post('/api/v1/snippets/create', {
    trigger: 'my address',
    replacement: '12 Orchard Lane, 8001 Zürich',
  });
  await post('/api/v1/snippets/create', { trigger: 'sign off', replacement: 'Kind regards,\nAda' });
  await post('/api/v1/keys/create', { name: 'Laptop', expires_in_days: 90 });
  await post('/api/v1/keys/create', { name: 'Shortcuts on the phone', scopes: ['notes:write'] });

  const { id: workspaceId } = await post('/api/workspaces', { name: 'Field research' });
  const invited = await post(`/api/workspaces/${workspaceId}/invitations`, {
    email: 'grace@example.org',
    managed: true,
  });
  for (const name of ['Interviews', 'Archive']) await post(`/api/workspaces/${workspaceId}/spaces`, { name });

  const form = new FormData();
  form.append('file', new Blob([await readFile(recording)]), 'inauguration.flac');
  const { id: transcriptionId } = await send('/api/v1/transcribe', { body: form });
  const voiceNoteId = await speak({ address, cookie });
  return {
    noteId,
    voiceNoteId,
    workspaceId,
    transcriptionId,
    invitation: new URL(invited.link ?? '/', address).pathname,
  };
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
