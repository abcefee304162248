import { type components, createSteno, deleteUpload, upload } from '@steno/sdk';
import { expect, test } from 'vitest';
import { StenoError } from '../../web/src/api/errors.ts';
import { isOnlyCopy, type KeptUpload, type UploadStorage } from '../../web/src/recorder/item.ts';
import { createQueue, type Queue } from '../../web/src/recorder/queue.ts';
import { seededRandom } from '../support/random.ts';

type Recording = components['schemas']['Recording'];
type Speech = components['schemas']['Me']['speech'];

interface Stored {
  id: string;
  owner: string;
  text: string;
  length: number | undefined;
  noteId: string | undefined;
}
type Trouble = 'none' | 'late' | 'lost' | 'lost before' | 'hung' | 'busy';

/** What a server does with uploads, and a network that is late, loses requests and answers, or says nothing. */
class SoundServer {
  readonly uploads = new Map<string, Stored>();
  readonly notes = new Set<string>();
  signedIn: string | undefined;
  trouble: (what: string, about?: string | null) => Trouble = () => 'none';
  #made = 0;

  /** What the SDK of this person's page asks. */
  pageOf = (person: string) => {
    const api = createSteno({
      url: 'http://steno.test',
      retries: 0,
      timeoutSeconds: 0.02,
      wait: (_ms, signal) => soon(signal),
      fetch: (request) => this.#answer(person, request),
    });
    const find = (id: string): Recording => {
      const found = this.uploads.get(id);
      if (!found || found.owner !== person) throw refused(404);
      const state = found.length === found.text.length ? 'done' : 'uploading';
      return { id, name: id, state, progress: 1, note_id: found.noteId ?? null } as Recording;
    };
    /** Asked in the same network, without a request of their own. */
    const ask = async <Answer>(what: string, answer: () => Answer): Promise<Answer> => {
      const trouble = this.trouble(what);
      if (trouble === 'busy') throw refused(429);
      if (this.signedIn !== person) throw refused(401);
      const given = answer();
      if (trouble === 'lost') throw new StenoError(503, undefined, new Headers());
      return given;
    };
    return {
      uploadAudio: (audio, about, options) =>
        upload(api, audio, { ...options, about: { name: about.name ?? '' } }),
      deleteUpload: (id) => deleteUpload(api, id),
      deleteRecording: (id) =>
        ask('delete recording', () => {
          find(id);
          this.uploads.delete(id);
        }),
      deleteNote: (id) => ask('delete note', () => void this.notes.delete(id)),
      fetchRecording: (id) => ask('recording', () => find(id)),
      fetchNewestRecordings: () =>
        ask('recordings', () =>
          [...this.uploads.values()].filter(({ owner }) => owner === person).map(({ id }) => find(id)),
        ),
      retryRecording: async () => {},
      mayTryAgain: () => true,
      wait: (_ms, signal) => soon(signal),
    } satisfies Parameters<typeof createQueue>[0]['server'];
  };

  /** As the server ends a live upload that sends nothing for five minutes. */
  end(id: string): void {
    const found = this.uploads.get(id);
    if (found) this.#over(Object.assign(found, { length: found.text.length }));
  }

  #over(stored: Stored): void {
    if (stored.text.length !== stored.length || stored.noteId) return;
    stored.noteId = `note of ${stored.id}`;
    this.notes.add(stored.noteId);
  }

  async #answer(person: string, request: Request): Promise<Response> {
    const body = await request.text();
    const trouble = this.trouble(request.method, request.headers.get('upload-metadata'));
    if (trouble === 'late') await soon();
    if (trouble === 'hung' || trouble === 'lost before') await never(request.signal, trouble);
    const answer = trouble === 'busy' ? new Response(null, { status: 429 }) : this.#do(person, request, body);
    if (trouble === 'lost') throw new TypeError('The connection broke.');
    return answer;
  }

  #do(person: string, { method, url, headers }: Request, body: string): Response {
    if (this.signedIn !== person) return new Response(null, { status: 401 });
    const given = headers.get('upload-length');
    const length = given === null ? undefined : Number(given);
    if (method === 'POST') {
      const id = `upload-${++this.#made}`;
      this.uploads.set(id, { id, owner: person, text: '', length, noteId: undefined });
      return Response.json({ data: { id } }, { status: 201 });
    }
    const stored = this.uploads.get(url.split('/').at(-1) ?? '');
    if (stored?.owner !== person) return new Response(null, { status: 404 });
    const bytes = stored.text.length;
    const isOver = stored.length === bytes && stored.noteId !== undefined;
    if (method === 'GET')
      return Response.json({
        data: { bytes, length: stored.length ?? null, state: isOver ? 'done' : 'uploading' },
      });
    if (method === 'DELETE') {
      if (isOver) return new Response(null, { status: 404 });
      this.uploads.delete(stored.id);
      return new Response(null, { status: 204 });
    }
    if (Number(headers.get('upload-offset')) !== bytes) return new Response(null, { status: 409 });
    stored.text += body;
    stored.length ??= length;
    this.#over(stored);
    return new Response(null, { status: 204, headers: { 'upload-offset': String(stored.text.length) } });
  }
}

const refused = (status: number) => new StenoError(status, undefined, new Headers());
const soon = (signal?: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, 1);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
const never = (signal: AbortSignal, trouble: Trouble) =>
  new Promise((_, reject) => {
    if (trouble === 'lost before') reject(new TypeError('The connection broke.'));
    else signal.addEventListener('abort', () => reject(signal.reason));
  });

/** What one browser keeps. */
function createStorage() {
  const uploads = new Map<string, KeptUpload>();
  const sounds = new Map<string, Blob[]>();
  const storage: UploadStorage = {
    async keepUpload(upload) {
      uploads.set(upload.id, upload);
      return true;
    },
    keptUploads: async (userId) => [...uploads.values()].filter((upload) => upload.userId === userId),
    async keepPart({ id }, order, audio) {
      const parts = sounds.get(id) ?? [];
      parts[order] = audio;
      sounds.set(id, parts);
      return true;
    },
    keptParts: async ({ id }) => sounds.get(id) ?? [],
    forgetParts: async ({ id }) => sounds.delete(id),
    async forgetUpload({ id }) {
      uploads.delete(id);
      sounds.delete(id);
    },
  };
  /** What signing out does. */
  const forget = (userId: string) => {
    for (const upload of uploads.values()) if (upload.userId === userId) void storage.forgetUpload(upload);
  };
  return { storage, forget, uploads };
}

const speech = { formats: ['webm'], recording_max_bytes: 1e9, refused: null } as unknown as Speech;

function createBrowser(server: SoundServer) {
  const kept = createStorage();
  const open = (person: string): Queue => {
    const locks = new Set<string>();
    return createQueue({
      person: { user_id: person, speech },
      server: server.pageOf(person),
      storage: kept.storage,
      locks: { hold: (name) => locks.add(name), isFree: async (name) => !locks.has(name) },
      every(_ms, work) {
        const timer = setInterval(work, 2);
        return () => clearInterval(timer);
      },
      onResumed() {},
      onChange() {},
    });
  };
  return { ...kept, open };
}

const fileOf = (text: string) => new File([text], `${text}.webm`, { type: 'audio/webm' });
const add = (queue: Queue, ...texts: string[]) =>
  queue.addFiles(texts.map(fileOf), { language: '', prompt: '' }, undefined);
const textsOf = (server: SoundServer, person: string) =>
  [...server.uploads.values()].flatMap(({ owner, noteId, text }) =>
    owner === person && noteId ? [text] : [],
  );

test('late, lost and hung answers, two people and sign-outs: all arrives once, with its own person', async () => {
  let [troubles, changes] = [0, 0];
  const kinds: Trouble[] = ['none', 'none', 'late', 'late', 'lost', 'lost before', 'hung', 'busy'];
  const runs = Array.from({ length: 300 }, async (_, seed) => {
    const random = seededRandom(seed + 1);
    const server = new SoundServer();
    const { open, forget, uploads } = createBrowser(server);
    server.trouble = (what) => {
      const trouble = kinds[random.between(0, kinds.length - 1)] ?? 'none';
      if (trouble !== 'none') troubles += 1;
      // An upload whose beginning is not answered is begun again; the server drops the empty one.
      return what === 'POST' && trouble === 'lost' ? 'late' : trouble;
    };
    const wanted = new Map([
      ['ann', new Set<string>()],
      ['ben', new Set<string>()],
    ]);
    let person = 'ann';
    server.signedIn = person;
    let queue = open(person);
    for (let step = 0; step < 12; step += 1) {
      const what = random.between(1, 10);
      if (what <= 5) {
        const text = `${person} says ${seed}-${step}`;
        wanted.get(person)?.add(text);
        add(queue, text);
      } else if (what <= 8) await soon();
      else {
        changes += 1;
        const signsOut = what === 10;
        queue.close();
        if (signsOut) {
          forget(person);
          // Some of it may be there already, and stays.
          wanted.get(person)?.clear();
        }
        // The other one signs in, or the same one whose session had ended.
        if (random.between(0, 1) === 1) person = person === 'ann' ? 'ben' : 'ann';
        server.signedIn = person;
        queue = open(person);
      }
    }
    // In the end both come back, to a network that is well.
    queue.close();
    server.trouble = () => 'none';
    for (const [name, texts] of wanted) {
      server.signedIn = name;
      const last = open(name);
      await expect.poll(() => [...texts].filter((text) => !textsOf(server, name).includes(text))).toEqual([]);
      await expect.poll(() => [...uploads.values()].filter(({ userId }) => userId === name)).toEqual([]);
      last.close();
    }
    for (const [name] of wanted) {
      const there = textsOf(server, name);
      expect({ seed, strange: there.filter((text) => !text.startsWith(name)) }).toEqual({
        seed,
        strange: [],
      });
      expect({ seed, twice: there.length - new Set(there).size }).toEqual({ seed, twice: 0 });
    }
  });
  await Promise.all(runs);
  // The test is about these: without them it would show nothing.
  expect({ troubles: troubles > 1_000, changes: changes > 300 }).toEqual({ troubles: true, changes: true });
});

test('one file whose request hangs does not stop the others, and is sent when the network is well', async () => {
  const server = new SoundServer();
  server.signedIn = 'ann';
  const isFirst = (about: string | null | undefined) => about?.includes(btoa('first'));
  server.trouble = (_what, about) => (isFirst(about) ? 'hung' : 'none');
  const queue = createBrowser(server).open('ann');
  add(queue, 'first', 'second');
  await expect.poll(() => textsOf(server, 'ann')).toContain('second');
  server.trouble = () => 'none';
  await expect.poll(() => textsOf(server, 'ann').toSorted()).toEqual(['first', 'second']);
  queue.close();
});

test('what is discarded while the server has too many requests is deleted later, also when it is a note by then', async () => {
  const server = new SoundServer();
  server.signedIn = 'ann';
  const { open, uploads } = createBrowser(server);
  const queue = open('ann');
  let isBusy = false;
  server.trouble = (what) => (isBusy || what === 'PATCH' ? 'busy' : 'none');
  add(queue, 'regretted');
  await expect.poll(() => queue.items.get()[0]?.recordingId).toBe('upload-1');
  isBusy = true;
  const [item] = queue.items.get();
  let waits = 0;
  const gone = item && queue.giveUp(item, () => (waits += 1));
  await expect.poll(() => waits).toBe(1);
  // The page closes; the server ends the upload, and makes a note of what it has.
  queue.close();
  expect(await gone).toBe(false);
  expect([...uploads.values()]).toMatchObject([{ isDiscarded: true }]);
  server.end('upload-1');
  expect([...server.notes]).toEqual(['note of upload-1']);
  server.trouble = () => 'none';
  const next = open('ann');
  await expect.poll(() => [server.uploads.size, server.notes.size, uploads.size]).toEqual([0, 0, 0]);
  next.close();
});

test('what goes on while the person is asked whether to discard it is deleted on the server too', async () => {
  const server = new SoundServer();
  server.signedIn = 'ann';
  server.trouble = () => 'lost before';
  const { open, uploads } = createBrowser(server);
  const queue = open('ann');
  add(queue, 'regretted');
  await expect.poll(() => queue.items.get()[0]?.state).toMatchObject({ isTaken: false });
  const [asked] = queue.items.get();
  server.trouble = () => 'none';
  await expect.poll(() => queue.items.get()[0]?.state.step).toBe('done');
  expect(asked && (await queue.giveUp(asked))).toBe(true);
  expect([server.uploads.size, server.notes.size, uploads.size]).toEqual([0, 0, 0]);
  queue.close();
});

test('a spoken recording is the only copy until it is a note', () => {
  const spoken = { kind: 'spoken', isSent: false } as const;
  const item = (changes: object) => isOnlyCopy({ ...spoken, ...changes } as Parameters<typeof isOnlyCopy>[0]);
  const failed = { step: 'failed' };
  expect([
    item({ state: { step: 'sending' } }),
    item({ isSent: true, state: { step: 'transcribing' } }),
    item({ state: failed }),
    item({ isSent: true, state: failed }),
    item({ state: { step: 'done' } }),
    item({ kind: 'file', state: { step: 'sending' } }),
  ]).toEqual([true, true, true, false, false, false]);
});
