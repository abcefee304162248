import { randomUUID } from 'node:crypto';
import { readConfig } from '../../src/config.ts';
import { noteTypes, storedNote } from '../../src/domain/note.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { openDatabase } from '../../src/platform/database/open.ts';
import { rowsOf } from '../../src/platform/database/schema.ts';
import { fetchOk, latencies, percentile, ratioInTurns } from '../lib/load.ts';
import type { Measure } from '../lib/measure.ts';
import { type BenchData, createDataDir, startServer } from '../lib/server.ts';

const { toRow } = rowsOf(storedNote);
const goal = 1.5;
const few = 10_000;
const many = 1_000_000;
const callsPerRound = 100;
const notesPerInsert = 200;
const firstMs = Date.UTC(2025, 0, 1);
const at = (second: number) => new Date(firstMs + second * 1000).toISOString();

const ways = [
  'sort=updated',
  'pinned=first',
  'sort=updated&pinned=first',
  'note_type=meeting',
  `since=${at(100)}&until=${at(5_000)}`,
  `sort=updated&note_type=upload&since=${at(100)}&until=${at(5_000)}`,
];

export const listWays: Measure = {
  name: 'GET /notes/list by each order and filter: p50 at 1,000,000 notes against 10,000, the worst of all ways',
  goal: `<= ${goal}`,
  async run({ scale }) {
    const small = await serverWith(few);
    const large = await serverWith(Math.round(many * scale));
    const ratios: { way: string; ratio: number }[] = [];
    for (const way of ways) {
      const p50 = (server: typeof small) => async () =>
        percentile(await latencies(callsPerRound, () => server.list(way)), 0.5);
      await p50(small)();
      await p50(large)();
      ratios.push({ way, ratio: (await ratioInTurns(5, p50(large), p50(small))).ratio });
    }
    await small.stop();
    await large.stop();
    const value = Math.max(...ratios.map(({ ratio }) => ratio));
    const shown = ratios.map(({ way, ratio }) => `${way.replaceAll(/=2025[^&]*/g, '')} ${ratio.toFixed(2)}`);
    return { value, met: value <= goal, detail: shown.join('; ') };
  },
};

async function serverWith(notes: number) {
  const data = await createDataDir();
  await seed(data, notes);
  const steno = await startServer(data);
  return {
    list: (way: string) =>
      fetchOk(`${steno.url}/api/v1/notes/list?limit=50&${way}`, { headers: steno.headers }),
    async stop() {
      await steno.stop();
      data.remove();
    },
  };
}

/** Notes of every type, one in fifty pinned, changed in another order than made; without words to search. */
async function seed({ dataDir, databaseUrl, userId }: BenchData, count: number): Promise<void> {
  const settings = { STENO_DATA_DIR: dataDir, STENO_DATABASE_URL: databaseUrl };
  const database = await openDatabase(readConfig(settings));
  await migrate(database, Date.now);
  for (let done = 0; done < count; done += notesPerInsert) {
    const rows = Array.from({ length: Math.min(notesPerInsert, count - done) }, (_, index) => {
      const second = done + index;
      return toRow({
        id: newUuid(),
        owner_id: userId,
        user_id: userId,
        space_id: null,
        client_note_id: randomUUID(),
        title: `Note ${second}`,
        content: 'A few words',
        enhanced_content: null,
        note_type: noteTypes[second % noteTypes.length] ?? 'personal',
        folder_id: null,
        pinned: second % 50 === 0,
        participants: null,
        calendar_event_id: null,
        transcript: null,
        created_at: at(second),
        updated_at: at((second * 7_919) % count),
      });
    });
    await database.write((db) => db.insertInto('notes').values(rows).execute());
  }
  await database.close();
}
