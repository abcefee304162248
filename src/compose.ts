import { createAudioDecoder } from './audio/decoder.ts';
import type { Config } from './config.ts';
import { createTranscriber, type EngineSettings } from './engines/index.ts';
import { buildApp } from './http/app.ts';
import { createLog, type Log } from './lib/log.ts';
import { newUuid } from './lib/uuid.ts';
import { mountMcp } from './mcp/index.ts';
import type { AudioDecoder } from './ports/audio.ts';
import type { Clock } from './ports/clock.ts';
import type { Transcriber } from './ports/transcriber.ts';
import { createAdmin } from './services/admin.ts';
import { createAuthentication } from './services/authentication.ts';
import { createDictionary } from './services/dictionary.ts';
import { createFolders } from './services/folders.ts';
import { createNotes } from './services/notes.ts';
import { createPause } from './services/pause.ts';
import { createPolicies } from './services/policies.ts';
import { createSnippets } from './services/snippets.ts';
import { createSpaces } from './services/spaces.ts';
import { createTranscribe } from './services/transcribe.ts';
import { createTranscriptions } from './services/transcriptions.ts';
import { createUsage } from './services/usage.ts';
import type { SqlEngine } from './store/engine.ts';
import { createStore } from './store/index.ts';
import { migrate } from './store/migrate.ts';
import { createRateLimiter } from './store/rate-limits.ts';
import { openSqlite } from './store/sqlite.ts';

export interface Surroundings {
  clock?: Clock;
  log?: Log;
  /** In place of the engine and the decoder that the settings name. */
  transcriber?: Transcriber;
  decoder?: AudioDecoder;
}

/** The services over a migrated database: what the CLI works with, beside a running server or without one. */
export async function composeServices(config: Config, { clock = Date.now }: Surroundings = {}) {
  const engine = await openEngine(config);
  try {
    await migrate(engine, clock);
  } catch (cause) {
    await engine.close();
    throw cause;
  }
  const store = createStore(engine);
  const shared = { store, clock, newId: newUuid };
  return {
    engine,
    store,
    admin: createAdmin(shared),
    notes: createNotes(shared),
    folders: createFolders(shared),
    spaces: createSpaces(shared),
    transcriptions: createTranscriptions(shared),
    usage: createUsage({ ...shared, plans: config.plans }),
    dictionary: createDictionary(shared),
    snippets: createSnippets(shared),
    policies: createPolicies(shared),
    pause: createPause({ switches: store.switches, clock, always: config.transcriptionPaused }),
    close: () => store.close(),
  };
}

/** The whole program: settings in; services, the HTTP app and a clean end out. */
export async function compose(config: Config, surroundings: Surroundings & { describe?: boolean } = {}) {
  const { clock = Date.now, log = createLog(config.logLevel), describe = false } = surroundings;
  const services = await composeServices(config, { clock });
  const limiter = await createRateLimiter(services.engine, clock);
  const authentication = createAuthentication({ keys: services.store.keys, clock });
  // Describing the routes needs no speech engine, and loading one takes seconds and 300 MB.
  const engine: EngineSettings = describe ? { ...config.engine, engine: 'fake' } : config.engine;
  const { decoder = createAudioDecoder(), transcriber = createTranscriber(engine) } = surroundings;
  const transcribe = createTranscribe({
    ...services,
    leases: services.store.leases,
    decoder,
    transcriber,
    plans: config.plans,
    clock,
    newId: newUuid,
  });
  const readiness = {
    check: () => services.store.ping(),
    speech: () => transcriber.status().state,
  };
  const app = await buildApp(
    { config, log, clock, plans: config.plans, authentication, limiter, readiness, transcribe, ...services },
    { describe, mountMcp },
  );
  return {
    ...services,
    transcribe,
    authentication,
    app,
    log,
    /** In this order: what is in flight finishes and frees its keys, counters are written, the database closes. */
    async close() {
      await app.close();
      await transcribe.idle();
      await transcriber.close();
      await decoder.close();
      await limiter.close();
      await authentication.close();
      await services.close();
    },
  };
}

/** The database as it is: nothing is migrated. */
export async function openEngine(config: Config): Promise<SqlEngine> {
  if (config.databaseUrl === '') return openSqlite(config.dataDir);
  // Loaded only when used: the driver takes 60 ms that the embedded database's start does not need.
  const { openPostgres } = await import('./store/postgres.ts');
  return openPostgres(config.databaseUrl, config.databasePool);
}
