import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { readConfig } from '../../src/config.ts';
import { unedited } from '../../src/domain/note.ts';
import { storeNote } from '../../src/features/notes/create.ts';
import { findNotes } from '../../src/features/notes/search.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import { composeServices } from '../../src/services.ts';
import { asOperator } from '../../test/support/identity.ts';
import { createDataDir } from '../lib/server.ts';

// npm run bench:search -- DIR [NAME …] [--halves]: how good the ranking is, on collections with relevance judgements. Each
// file of DIR holds notes, queries by kind, and for each query the notes that are relevant, with a gain. `--halves` makes
// long questions of the same notes: the first half of a text is the note, the next 60 words ask for it.

const collection = z.object({
  notes: z.array(z.object({ id: z.string(), title: z.string().nullable(), content: z.string() })),
  queries: z.record(z.string(), z.array(z.object({ id: z.string(), text: z.string() }))),
  relevant: z.record(z.string(), z.record(z.string(), z.number())),
});

interface Mark {
  /** nDCG@10 of the search before this one, as it was measured before that code went. */
  before?: number;
  goal?: number;
}

const marks: Record<string, Record<string, Mark>> = {
  cranfield: {
    full: { before: 0.012, goal: 0.34 },
    short3: { before: 0.177, goal: 0.29 },
    typo: { before: 0.003, goal: 0.27 },
  },
  'xquad-en': {
    full: { before: 0.018, goal: 0.95 },
    short3: { before: 0.592, goal: 0.93 },
    typo: { before: 0.008, goal: 0.91 },
  },
  'piaf-fr': { short3: { goal: 0.7 } },
};
const otherLanguages: Record<string, Mark> = { short3: { goal: 0.85 } };

const { values, positionals } = parseArgs({
  options: { 'database-url': { type: 'string', default: '' }, halves: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const [dir, ...names] = positionals;
if (dir === undefined) throw new Error('Say where the collections are: npm run bench:search -- DIR');
const files = readdirSync(dir).filter(
  (file) => file.endsWith('.json') && (names.length === 0 || names.some((name) => file.includes(name))),
);

console.log(
  '| collection | queries | nDCG@10 | before | goal | recall@20 | found | nothing found |\n|---|---|---|---|---|---|---|---|',
);
for (const file of files) {
  const read = collection.parse(JSON.parse(readFileSync(join(dir, file), 'utf8')));
  await measure(file, values.halves ? halvesOf(read) : read);
}

function halvesOf({ notes }: z.infer<typeof collection>): z.infer<typeof collection> {
  const words = new Intl.Segmenter('und', { granularity: 'word' });
  const halves: z.infer<typeof collection> = { notes: [], queries: { half60: [] }, relevant: {} };
  for (const note of notes) {
    const starts = [...words.segment(note.content)]
      .filter((part) => part.isWordLike)
      .map(({ index }) => index);
    const middle = starts[starts.length >> 1];
    if (starts.length < 60 || middle === undefined) {
      halves.notes.push(note);
      continue;
    }
    halves.notes.push({ ...note, content: note.content.slice(0, middle) });
    if (halves.queries.half60?.length === 400) continue;
    // Without quotes: a phrase in quotes must be in the note.
    const text = note.content.slice(middle, starts[(starts.length >> 1) + 60]).replace(/["“”„«»]/g, ' ');
    halves.queries.half60?.push({ id: note.id, text });
    halves.relevant[note.id] = { [note.id]: 1 };
  }
  return halves;
}

async function measure(
  file: string,
  { notes, queries, relevant }: z.infer<typeof collection>,
): Promise<void> {
  const { dataDir, userId } = await createDataDir();
  const settings = { STENO_DATA_DIR: dataDir, STENO_DATABASE_URL: values['database-url'] };
  const { database, close, look } = await composeServices(readConfig(settings));
  const owner_id =
    values['database-url'] === ''
      ? userId
      : (await asOperator({ look }).users.add({ name: 'Bench', email: null, plan: 'business' })).id;
  const names = new Map<string, string>();
  for (const note of notes) {
    const row = noteRow(owner_id, note.title, note.content);
    names.set(row.id, note.id);
    await storeNote(database, row);
  }
  await database.search.merge(owner_id);
  for (const [kind, asked] of Object.entries(queries)) {
    let [gained, recalled, found, empty] = [0, 0, 0, 0];
    for (const { id, text } of asked) {
      const gains = relevant[id] ?? {};
      const { data } = await findNotes(database, owner_id, { query: text, limit: 20 });
      const order = data.map((note) => gains[names.get(note.id) ?? ''] ?? 0);
      gained += discounted(order) / discounted(Object.values(gains).sort((one, other) => other - one));
      recalled +=
        order.filter((gain) => gain > 0).length / Object.values(gains).filter((gain) => gain > 0).length;
      found += order.length;
      if (order.length === 0) empty += 1;
    }
    const share = (sum: number, digits = 3) => (sum / asked.length).toFixed(digits);
    const name = file.replace('.json', '');
    const { before, goal } = (marks[name] ?? otherLanguages)[kind] ?? {};
    if (asked.length > 0)
      console.log(
        `| ${name} | ${kind} | ${share(gained)} | ${before ?? ''} | ${goal ?? ''} | ${share(recalled)} | ${share(found, 1)} | ${share(100 * empty, 1)} % |`,
      );
  }
  await close();
  rmSync(dataDir, { recursive: true, force: true });
}

function discounted(gains: readonly number[]): number {
  return gains.slice(0, 10).reduce((sum, gain, at) => sum + (2 ** gain - 1) / Math.log2(at + 2), 0);
}

function noteRow(ownerId: string, title: string | null, content: string) {
  const now = new Date().toISOString();
  return {
    ...unedited,
    id: newUuid(),
    owner_id: ownerId,
    user_id: ownerId,
    space_id: null,
    client_note_id: newUuid(),
    title,
    content,
    enhanced_content: null,
    note_type: 'personal' as const,
    pinned: false,
    folder_id: null,
    participants: null,
    calendar_event_id: null,
    transcript: null,
    created_at: now,
    updated_at: now,
  };
}
