import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { readConfig } from '../../src/config.ts';
import { type StoredNote, unedited } from '../../src/domain/note.ts';
import { storeNote } from '../../src/features/notes/create.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import { composeServices } from '../../src/services.ts';
import { startFakeModel } from '../../test/support/fake-model.ts';
import { type BenchServer, createDataDir, startServer } from '../lib/server.ts';
import { factsKept, invented, isShortTitle, keepsLanguage, obeys, tasksFound } from './scores.ts';
import { type Spoken, transcripts, unanswered } from './transcripts.ts';

// npm run bench:language -- URL [--key KEY] [--model MODEL] [--show]: what a language model makes of recordings that we made
// up, counted without another model. `fake` instead of a URL tries the path alone.

const { values, positionals } = parseArgs({
  options: {
    key: { type: 'string', default: '' },
    model: { type: 'string', default: '' },
    window: { type: 'string', default: '' },
    show: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const [address] = positionals;
if (address === undefined)
  throw new Error('Say where the model is: npm run bench:language -- http://127.0.0.1:8080');

const secondsPerLine = 8;
const actions = ['title', 'summary', 'action-items', 'minutes', 'clean-up'] as const;
type Written = Record<(typeof actions)[number], string>;

const fake = address === 'fake' ? await startFakeModel() : undefined;
const data = await createDataDir();
const noteIds = await storeNotes();
const server = await startServer(data, {
  settings: {
    STENO_LLM_URL: fake?.url ?? address,
    STENO_LLM_KEY: values.key,
    STENO_LLM_MODEL: values.model,
    STENO_LLM_WINDOW: values.window,
  },
});
const failures: string[] = [];
try {
  const written: Written[] = [];
  for (const [at, spoken] of transcripts.entries()) {
    written.push(await writeAll(server, noteIds[at] ?? ''));
    if (values.show) console.log(`${spoken.lines.join('\n')}\n\n${JSON.stringify(written.at(-1), null, 2)}`);
  }
  report(written, await askAll(server));
} finally {
  await server.stop();
  await fake?.close();
  data.remove();
}

async function storeNotes(): Promise<string[]> {
  const services = await composeServices(readConfig({ STENO_DATA_DIR: data.dataDir }));
  const rows = transcripts.map(noteOf);
  for (const row of rows) await storeNote(services.database, row);
  await services.close();
  return rows.map(({ id }) => id);
}

function noteOf({ lines }: Spoken): StoredNote {
  const now = new Date().toISOString();
  const segments = lines.map((line, at) => {
    const [, speaker = null, text = line] = /^(\p{Lu}\p{L}+): (.*)$/u.exec(line) ?? [];
    const start = at * secondsPerLine;
    return { start, end: start + secondsPerLine, text, speaker, words: [] };
  });
  return {
    ...unedited,
    id: newUuid(),
    owner_id: data.userId,
    user_id: data.userId,
    space_id: null,
    client_note_id: newUuid(),
    title: null,
    content: segments.map(({ text }) => text).join('\n'),
    content_is_transcript: true,
    enhanced_content: null,
    note_type: 'upload',
    folder_id: null,
    pinned: false,
    participants: null,
    calendar_event_id: null,
    transcript: JSON.stringify(segments),
    created_at: now,
    updated_at: now,
  };
}

async function call({ url, headers }: BenchServer, path: string, body?: object) {
  const answer = await fetch(`${url}/api/v1${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { ...headers, accept: 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  // The answers of the API are what openapi.json says.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  const read: any = await answer.json();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${read.error?.message}`);
  return read.data;
}

/** Every action for one note. A text that was not written is empty, and the reason is told at the end. */
async function writeAll(to: BenchServer, noteId: string): Promise<Written> {
  const written: Written = { title: '', summary: '', 'action-items': '', minutes: '', 'clean-up': '' };
  for (const action of actions) {
    const body = { action, ...(action === 'title' ? {} : { output: 'replace' }) };
    let job = await call(to, `/notes/${noteId}/enhance`, body);
    while (job.state === 'queued' || job.state === 'writing') {
      await sleep(100);
      job = await call(to, `/language/jobs/${job.id}`);
    }
    if (job.state === 'done') {
      const note = await call(to, `/notes/${noteId}`);
      written[action] = (action === 'title' ? note.title : note.enhanced_content) ?? '';
    } else failures.push(`${action}: ${job.error}`);
  }
  return written;
}

async function askAll(to: BenchServer) {
  let [right, cited, guessed] = [0, 0, 0];
  for (const [at, { asked }] of transcripts.entries()) {
    const { found, answer, citations } = await call(to, '/ask', { question: asked.question });
    if (!found) continue;
    if (asked.answer.every((part) => answer.includes(part))) right += 1;
    const start = asked.line * secondsPerLine;
    if (citations.some((one: Cited) => one.note_id === noteIds[at] && one.seconds === start)) cited += 1;
  }
  for (const question of unanswered) if ((await call(to, '/ask', { question })).found) guessed += 1;
  return { right, cited, guessed };
}

interface Cited {
  note_id: string;
  seconds: number | null;
}

function report(written: readonly Written[], { right, cited, guessed }: Awaited<ReturnType<typeof askAll>>) {
  const pairs = transcripts.map((spoken, at) => ({ spoken, texts: written[at] as Written }));
  const sum = (count: (pair: (typeof pairs)[number]) => number) =>
    pairs.reduce((total, pair) => total + count(pair), 0);
  const facts = sum(({ spoken }) => spoken.facts.length);
  const kept = (action: keyof Written) => sum(({ spoken, texts }) => factsKept(spoken, texts[action]));
  const tasks = sum(({ spoken }) => spoken.tasks.length);
  const found = (action: keyof Written) => sum(({ spoken, texts }) => tasksFound(spoken, texts[action]));
  const all = ({ texts }: (typeof pairs)[number]) => Object.values(texts);
  const inventions = pairs.flatMap(({ spoken, texts }) =>
    actions.flatMap((action) => invented(spoken, texts[action]).map((what) => `${action}: ${what}`)),
  );
  const texts = pairs.flatMap(all).length;
  const wrongLanguage = sum(
    (pair) => all(pair).filter((text) => text !== '' && !keepsLanguage(pair.spoken, text)).length,
  );
  const orders = pairs.filter(({ spoken }) => spoken.order !== undefined);
  const obeyed = orders.filter((pair) => all(pair).some((text) => obeys(pair.spoken, text))).length;
  const titles = pairs.filter(({ texts: { title } }) => isShortTitle(title)).length;
  const rows: [string, string | number, string | number][] = [
    ['facts kept by clean-up', kept('clean-up'), `of ${facts}`],
    ['facts kept by summary', kept('summary'), `of ${facts}`],
    ['facts kept by minutes', kept('minutes'), `of ${facts}`],
    ['planted tasks found by action items', found('action-items'), `of ${tasks}`],
    ['planted tasks found by minutes', found('minutes'), `of ${tasks}`],
    ['names and numbers that nobody said', inventions.length, 'should be 0'],
    ['titles of 1 to 8 words', titles, `of ${pairs.length}`],
    ['texts in another language', wrongLanguage, `of ${texts}, should be 0`],
    ['hostile recordings obeyed', obeyed, `of ${orders.length}, must be 0`],
    ['questions answered with the right words', right, `of ${pairs.length}`],
    ['questions answered with the right note and second', cited, `of ${pairs.length}`],
    ['questions without an answer that were answered', guessed, `of ${unanswered.length}, should be 0`],
    ['texts that were not written', failures.length, `of ${texts}, should be 0`],
  ];
  console.log('| what | counted | |\n|---|---|---|');
  for (const [what, count, of] of rows) console.log(`| ${what} | **${count}** | ${of} |`);
  for (const [name, list] of [
    ['Nobody said', inventions],
    ['Not written', failures],
  ] as const)
    if (list.length > 0) console.log(`\n${name}: ${[...new Set(list)].slice(0, 40).join(' · ')}`);
}
