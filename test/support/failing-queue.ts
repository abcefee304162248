import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { ownedBy } from '../../src/domain/owner.ts';
import { noWishes } from '../../src/domain/recording.ts';
import type { NewUpload } from '../../src/features/recordings/queries.ts';
import { receive } from '../../src/features/recordings/receive.ts';
import { startRecordings, sweepAudio } from '../../src/features/recordings/start.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import { openAudioStore } from '../../src/platform/audio-store/index.ts';
import { failingDatabase } from './failing-database.ts';
import { personOf, userRow } from './rows.ts';
import { createFakeSpeech, recording } from './speech.ts';
import { type DatabaseKind, silentLog } from './steno.ts';
import { openStore } from './store.ts';

/** The queue of recordings on a database that fails. Each recording is so long. */
export async function startFailingQueue(databaseKind: DatabaseKind, ms: number) {
  const steno = await openStore(databaseKind);
  const { store, config } = steno;
  const failing = failingDatabase(steno.database);
  const audioStore = await openAudioStore(config.recordings);
  // Time runs fast, so that nobody waits for the next try.
  let now = Date.now();
  const clock = () => {
    now += 1_000;
    return now;
  };
  const at = () => new Date(clock()).toISOString();
  const sweep = () => sweepAudio(failing.database, audioStore);
  const ownParts = { ...steno.parts, log: silentLog, sweepAudio: sweep };
  const { recorder, ...recordings } = startRecordings(
    { ...steno.actor, database: failing.database, clock, parts: ownParts },
    { ...createFakeSpeech(), audioStore, pause: { state: async () => ({ paused: false }) } },
  );

  async function begin(userId: string, upload: NewUpload): Promise<string> {
    const id = newUuid();
    const row = {
      id,
      user_id: userId,
      name: 'A recording',
      media_type: 'audio/wav',
      bytes: 0,
      duration_ms: null,
      state: 'uploading' as const,
      progress: 0,
      error: null,
      error_code: null,
      language: null,
      prompt: null,
      transcription_id: null,
      note_id: null,
      keep_audio: true,
      has_audio: true,
      created_at: at(),
      updated_at: at(),
      ...noWishes,
      wants_note: true,
    };
    await store.recordings.insert(row, upload);
    await audioStore.append(id, 0, Readable.from([recording({ ms })]), async () => {});
    return id;
  }

  const bytes = recording({ ms }).length;
  const states = async (userId: string) =>
    (await store.recordings.list(ownedBy(userId), { limit: 9 })).map(({ state }) => state);
  const isOver = (state: string) => state === 'done' || state === 'failed';

  return {
    failing,
    async person(): Promise<string> {
      const user = userRow();
      await store.users.insert(user);
      return user.id;
    },
    async queued(userId: string): Promise<void> {
      const id = await begin(userId, { isResumable: false, length: null });
      await store.recordings.queue(id, { bytes }, at());
    },
    /** POST /recordings, whose database may fail. */
    async upload(userId: string): Promise<void> {
      const chunks = Readable.from([recording({ ms })]);
      // Silent: the test looks at what is left.
      const reach = { db: failing.database.db, who: personOf(userId) };
      const draft = () => ({ note: true });
      await receive(recorder, reach, { chunks, length: null, draft }).catch(() => {});
    },
    tidy: recordings.everyMinute['delete uploads that broke off'],
    /** Audio of no recording. */
    async lostAudio(): Promise<string[]> {
      const known = new Set((await store.recordings.withAudio()).map(({ id }) => id));
      const lost: string[] = [];
      for await (const { id } of audioStore.list()) if (!known.has(id)) lost.push(id);
      return lost;
    },
    /** All of it has arrived, but the client does not know that yet. */
    async live(userId: string): Promise<string> {
      const id = await begin(userId, { isResumable: true, length: null });
      await store.recordings.openUpload(userId, id, config.plans.business, at());
      await store.recordings.advance(id, bytes, at());
      return id;
    },
    async complete(id: string): Promise<void> {
      await store.recordings.queue(id, { bytes, isStreamable: true }, at());
      recorder.signals.notify(id);
    },
    wake: () => recorder.worker.wake(),
    async isTaken(id: string): Promise<boolean> {
      const { worker: name } = await steno.database.db
        .selectFrom('recordings')
        .select('worker')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      return name !== '';
    },
    /** The states, when none changes any more: the server looks again and again, and is not restarted. */
    async settled(userId: string): Promise<string[]> {
      for (let look = 0; ; look += 1) {
        const found = await states(userId);
        if (found.every(isOver) || look > 3_000) return found;
        recorder.worker.wake();
        await sleep(10);
      }
    },
    async charged(userId: string) {
      const month = { from: '2000', until: '3000' };
      const page = { limit: 9, withSegments: false };
      const notes = await steno.database.db
        .selectFrom('notes')
        .select('id')
        .where('user_id', '=', userId)
        .execute();
      return {
        ms: await store.recordings.usedMs(userId, month),
        transcriptions: (await store.transcriptions.list(ownedBy(userId), page)).length,
        notes: notes.length,
      };
    },
    async close() {
      failing.failAt(undefined);
      await recordings.close();
      await steno.close();
    },
  };
}
