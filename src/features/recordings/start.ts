import { dayMs } from '../../domain/rate-limit.ts';
import type { Actor } from '../../kernel/context.ts';
import { isoAfter } from '../../lib/clock.ts';
import { createSignals } from '../../lib/signals.ts';
import type { AudioStore } from '../../platform/audio-store/audio-store.ts';
import type { Database } from '../../platform/database/database.ts';
import { followOf } from './events.ts';
import * as queries from './queries.ts';
import { abandon } from './receive.ts';
import { type Engine, type Recorder, timeOf } from './recorder.ts';
import * as storage from './storage.ts';
import * as uploads from './uploads/queries.ts';
import { tidyUploads } from './uploads/uploads.ts';
import { createWaveforms } from './waveforms.ts';
import { createRecordingWorker, type WorkerOptions } from './worker.ts';

type Options = WorkerOptions & Pick<Engine, 'audioStore' | 'decoder' | 'transcriber'>;

/** Takes recordings in and transcribes them, beside other servers that do the same. */
export function startRecordings(actor: Actor, options: Options) {
  const { audioStore, decoder, transcriber } = options;
  const engine: Engine = { ...actor, audioStore, decoder, transcriber, signals: createSignals() };
  const worker = createRecordingWorker(engine, options);
  const recorder: Recorder = {
    ...engine,
    worker,
    receiving: new Set(),
    writers: new Map(),
    waveformOf: createWaveforms(engine),
    follow: followOf(engine),
  };
  const { database, parts } = actor;

  /** Deletes uploads that broke off while the database was away, and frees what an import had been promised. */
  async function tidy(): Promise<void> {
    const { storing } = parts.imports;
    for (const { id } of await uploads.held(database, { isResumable: false }))
      if (!recorder.receiving.has(id) && !storing.has(id)) await abandon(recorder, id);
    for (const { id } of await storage.reserved(database))
      if (!storing.has(id)) await database.write((tx) => storage.free({ database, tx }, id));
  }

  /** Deletes audio that the operator does not let stay, or not so long. The recordings stay. */
  async function dropOld(): Promise<void> {
    const { keepAudio, keepAudioDays } = parts.config.recordings;
    const now = timeOf(actor);
    // One that failed can be tried again.
    if (!keepAudio) await database.write((tx) => queries.dropAudio(tx, ['done'], now, now));
    if (keepAudioDays === null) return;
    const oldest = isoAfter(now, -keepAudioDays * dayMs);
    await database.write((tx) => queries.dropAudio(tx, ['done', 'failed'], oldest, now));
  }

  return {
    recorder,
    state: worker.state,
    close: worker.close,
    everyMinute: {
      'finish uploads': () => tidyUploads(recorder),
      'delete uploads that broke off': tidy,
    },
    everyHour: {
      'delete uploads of servers that are gone': () =>
        database.write((tx) => uploads.removeAbandoned({ database, tx })),
      'drop old audio': dropOld,
      'delete audio': parts.sweepAudio,
    },
  };
}

/** Removes audio that no recording needs any more. What fails is tried again by the next call. */
export async function sweepAudio(database: Database, audioStore: AudioStore): Promise<void> {
  for (const id of await queries.doomed(database.db)) {
    // Removing the others took its time, and an import may have brought this one back.
    if ((await queries.doomed(database.db, id)).length === 0) continue;
    await audioStore.remove(id);
    await database.write((tx) => queries.forget(tx, id));
  }
}
