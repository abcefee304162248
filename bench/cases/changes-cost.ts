import { sql } from 'kysely';
import { readConfig } from '../../src/config.ts';
import { storeNote } from '../../src/features/notes/create.ts';
import { composeServices } from '../../src/services.ts';
import { noteRow } from '../../test/support/rows.ts';
import { createCorpus } from '../lib/corpus.ts';
import { ratioInTurns } from '../lib/load.ts';
import type { Measure } from '../lib/measure.ts';
import { createDataDir } from '../lib/server.ts';

const goal = 1.25;
const together = 64;
const content = createCorpus(1).sentence(60);

export const changesCost: Measure = {
  name: 'processor time of storing a note on SQLite, 64 at a time: with the log of changes against without it',
  goal: `<= ${goal}`,
  async run({ scale }) {
    const notes = Math.max(together, Math.round(20_000 * scale));
    const logged = await open(true);
    const plain = await open(false);
    await logged.store(notes);
    await plain.store(notes);
    const result = await ratioInTurns(
      7,
      () => logged.store(notes),
      () => plain.store(notes),
    );
    await logged.close();
    await plain.close();
    const detail = `${result.ours.toFixed(1)} against ${result.theirs.toFixed(1)} µs a note, without HTTP`;
    return { value: result.ratio, met: result.ratio <= goal, detail };
  },
};

async function open(isLogged: boolean) {
  const data = await createDataDir();
  const { database, close } = await composeServices(readConfig({ STENO_DATA_DIR: data.dataDir }));
  if (!isLogged)
    await database.write(async (trx) => {
      await sql`drop trigger notes_made`.execute(trx);
    });
  return {
    /** Microseconds of this process for each note. */
    async store(count: number): Promise<number> {
      const before = process.cpuUsage();
      for (let done = 0; done < count; done += together)
        await Promise.all(
          Array.from({ length: together }, () => storeNote(database, noteRow(data.userId, { content }))),
        );
      const { user, system } = process.cpuUsage(before);
      return (user + system) / count;
    },
    async close() {
      await close();
      data.remove();
    },
  };
}
