import { randomBytes } from 'node:crypto';
import { counted, watchParts } from './compose-metrics.ts';
import type { Config } from './config.ts';
import { audioFormats, pcmRate } from './domain/audio.ts';
import { type Authority, operator, type Principal } from './domain/principal.ts';
import { dayMs } from './domain/rate-limit.ts';
import { deliveriesKeptDays } from './domain/webhook.ts';
import { createAudioDecoder, createFormatList, identifyAudio } from './engines/audio/decoder.ts';
import { createWriter } from './engines/language-model/index.ts';
import type { AudioDecoder } from './engines/ports/audio.ts';
import type { Transcriber } from './engines/ports/transcriber.ts';
import type { LanguageWriter } from './engines/ports/writer.ts';
import { createOidcProvider } from './engines/sign-in/oidc.ts';
import { createPasskeyVerifier } from './engines/sign-in/passkeys.ts';
import { createTranscriber, type EngineSettings } from './engines/speech/index.ts';
import { createWebhookDelivery } from './engines/webhooks/delivery.ts';
import { createWebhookEngine } from './engines/webhooks/index.ts';
import { createWebhookSender } from './engines/webhooks/sender.ts';
import { forgetEvents } from './features/audit/acts.ts';
import { addTo, countRefusals } from './features/audit/refusals.ts';
import { forgetOld } from './features/changes/forget.ts';
import { startTimeline } from './features/changes/queries.ts';
import { createAuthentication } from './features/identity/authentication.ts';
import { forgetOldAssistants } from './features/identity/oauth/connect.ts';
import { startImports } from './features/import/start.ts';
import { removeOlder as forgetLanguageJobs } from './features/language/jobs.ts';
import { createMeteredWriter } from './features/language/metered.ts';
import { writeText } from './features/language/write-text.ts';
import { createStatus } from './features/operator/status/live.ts';
import { startRecordings, sweepAudio } from './features/recordings/start.ts';
import { dropExpired } from './features/revisions/expired.ts';
import { pauseState } from './features/transcribe/pause.ts';
import { purgeExpired } from './features/trash/purge.ts';
import { removeDeliveries } from './features/webhooks/queries.ts';
import type { Actor, CommandContext } from './kernel/context.ts';
import { runJobs } from './kernel/job.ts';
import type { Parts, SetupHost, Speech } from './kernel/parts.ts';
import { act, asProgram, contextFor } from './kernel/run.ts';
import type { Clock } from './lib/clock.ts';
import { closeInOrder } from './lib/close-in-order.ts';
import { lazily } from './lib/lazily.ts';
import { createLog, type Log } from './lib/log.ts';
import { createSignals } from './lib/signals.ts';
import { newUuid } from './lib/uuid.ts';
import { createAudioProbe, openAudioStore, requireSharedFolder } from './platform/audio-store/index.ts';
import { lastBackupName, readLastBackup } from './platform/backup/last.ts';
import type { Database } from './platform/database/database.ts';
import { createFigures } from './platform/database/figures.ts';
import { createIdempotencyStore } from './platform/database/idempotency.ts';
import { installedValue, sharedValue } from './platform/database/installation.ts';
import { createKeyStore } from './platform/database/keys.ts';
import { isUnused, migrate, noDatabase } from './platform/database/migrate.ts';
import { createFailureCounter, createRateLimiter } from './platform/database/rate-limits.ts';
import { openSqlite, requireDatabase } from './platform/database/sqlite.ts';
import { unavailable, watched, wordForFault } from './platform/database/unusable.ts';
import { createHousekeeping } from './platform/housekeeping.ts';
import { indexAndTell } from './platform/indexing.ts';
import { createMailer } from './platform/mail/index.ts';
import { createOutbox } from './platform/mail/outbox.ts';

export interface ComposeOptions {
  /** False: raise `not_found` rather than make a database, which would be the wrong one: the settings name another. */
  create?: boolean;
  clock?: Clock;
  log?: Log;
  onWrite?: (seconds: number) => void;
  /** Gets how each mail ended. */
  onMail?: (outcome: 'sent' | 'failed') => void;
  /** Replaces the engine, the language model and the decoder from the settings. */
  transcriber?: Transcriber;
  writer?: LanguageWriter;
  decoder?: AudioDecoder;
  /** How often to look for events to deliver. */
  webhookPollMs?: number;
  /** Without it, the server cannot be set up in the browser. */
  setup?: SetupHost;
}

const keptLanguageJobDays = 30;
/** A step of closing takes milliseconds. `steno serve` ends after nine seconds, whatever hangs. */
const closeStepMs = 2_500;

/** Migrates the database and creates the services. The CLI uses this, whether or not a server runs. */
export async function composeServices(config: Config, options: ComposeOptions = {}) {
  const { clock = Date.now, onWrite = () => {}, onMail, decoder, create = true, log, setup } = options;
  if (!create && config.databaseUrl === '') requireDatabase(config.dataDir);
  const database = watched(await openDatabase(config), onWrite);
  try {
    if (!create && (await isUnused(database))) throw noDatabase(database.name, config.dataDir);
    await migrateAndTell(database, clock, log);
  } catch (cause) {
    await database.close();
    throw cause;
  }
  const sender = createWebhookSender({ allowedNetworks: config.webhookNetworks });
  const shared = { database, clock, newId: newUuid, defaultPlan: config.defaultPlan };
  const audioStore = lazily(() => openAudioStore(config.recordings));
  const writer = createMeteredWriter({
    ...shared,
    plans: config.plans,
    writer: options.writer ?? createWriter(config.language),
  });
  const ownLog = log ?? createLog(config.logLevel);
  const outbox = createOutbox({
    mailer: createMailer(config, ownLog),
    log: ownLog,
    ...(onMail && { onEnd: onMail }),
  });
  let secret: Promise<string> | undefined;
  const parts: Parts = {
    config,
    clock,
    plans: config.plans,
    log: ownLog,
    outbox,
    authSecret() {
      secret ??=
        config.authSecret === ''
          ? sharedValue(database, 'auth_secret', randomBytes(32).toString('base64url'))
          : Promise.resolve(config.authSecret);
      return secret;
    },
    passkeys: createPasskeyVerifier(),
    webhooks: createWebhookEngine({ ...shared, sender }),
    provider: config.oidc && createOidcProvider(config.oidc, { clock }),
    audioStore,
    speech() {
      throw new Error('Only a running server recognises speech.');
    },
    setup: setup ? { ...setup, isChecking: false, isApplying: false } : null,
    async status() {
      throw new Error('Only a running server knows how its parts are.');
    },
    sweepAudio: async () => sweepAudio(database, await audioStore()),
    recorder() {
      throw new Error('Only a running server takes in recordings.');
    },
    imports: startImports(decoder?.identify ?? identifyAudio),
    writer,
    texts: createSignals<string>(),
    languageJobs: { wake() {}, cancel() {} },
    refusals: { async save() {} },
  };
  const actor: Actor = { database, clock, newId: newUuid, parts };
  return {
    database,
    outbox,
    parts,
    actor,
    /** For commands of the operator: one transaction, as operations have it. */
    act: <Result>(
      work: (context: CommandContext<Authority>) => Promise<Result>,
      options: { locks?: boolean } = {},
    ) => act(contextFor<Authority>(actor, operator), options, work),
    /** For commands that the operator runs as a person: what a stream has of its context. */
    as: (who: Principal) => asProgram(actor, who),
    /** The same for what only reads, or has several transactions. */
    look: () => asProgram<Authority>(actor, operator),
    sweepAudio: parts.sweepAudio,
    writer,
    close: () => database.close(),
  };
}

/** The whole program: settings in; services, the HTTP app and a clean shutdown out. */
export async function compose(
  config: Config,
  options: ComposeOptions & { describe?: boolean; sandbox?: boolean } = {},
) {
  const { clock = Date.now, log = createLog(config.logLevel), describe = false, sandbox = false } = options;
  // Not for commands, which start in two thirds of the time without them.
  const [{ buildApp }, { createMetrics }, { mountMcp }] = await Promise.all([
    import('./app.ts'),
    import('./platform/http/metrics.ts'),
    import('./mcp/index.ts'),
  ]);
  const metrics = createMetrics();
  const onWrite = (seconds: number) => metrics.databaseWrites.observe(seconds);
  const services = await composeServices(config, {
    ...options,
    clock,
    log,
    onWrite,
    onMail: metrics.mailSent,
  });
  if (!services.database.singleProcess && config.recordings.url === '' && !config.recordings.isLocal)
    await requireSharedFolder(config.recordings.folder, services.database).catch(async (cause: unknown) => {
      await services.close();
      throw cause;
    });
  await startTimeline(services.database, { always: false });
  await services.database.write(services.database.search.queueOutdated);
  // In the background. A search says if notes are not indexed yet.
  void indexAndTell({
    count: createFigures(services.database).unindexedNotes,
    index: () => services.database.search.indexPending(),
    log,
  });
  const audioStore = await services.parts.audioStore();
  const delivery = createWebhookDelivery({
    ...services.parts.webhooks,
    clock,
    log,
    pollMs: options.webhookPollMs,
    onAttempt: metrics.webhookAttempted,
  });
  const limiter = await createRateLimiter(services.database, clock, log);
  const failures = createFailureCounter(services.database, limiter, clock);
  const audit = {
    ...countRefusals({ clock, log, add: addTo(services.database) }),
    forgetOld: () =>
      forgetEvents(services.database, new Date(clock() - config.auditDays * dayMs).toISOString()),
  };
  const authentication = createAuthentication({
    database: services.database,
    keys: createKeyStore(services.database),
    clock,
    log,
  });
  // Made at the start, so that servers that start together agree on it.
  await services.parts.authSecret();
  const { provider } = services.parts;
  // OpenAPI needs no speech engine, and loading one takes seconds and 300 MB.
  const engine: EngineSettings = describe ? { ...config.engine, engine: 'fake' } : config.engine;
  const {
    decoder = createAudioDecoder(),
    transcriber: uncounted = createTranscriber(engine, {
      onProblem: (problem) => log.error({ problem }, 'Speech recognition is out of order'),
      onPreparing: (model) =>
        log.info({ model }, 'A speech model is prepared; this takes some seconds, once'),
      onFault(reason) {
        metrics.recogniserFaults.inc();
        log.warn({ reason }, 'The speech engine failed on a piece of work, or ended without one');
      },
      onWorked: (seconds) => metrics.busySeconds.inc(seconds),
    }),
  } = options;
  const transcriber = counted(uncounted, (samples) => metrics.transcribedSeconds.inc(samples / pcmRate));
  const speech: Speech = {
    transcriber,
    decoder,
    formats: options.decoder ? async () => audioFormats : createFormatList(),
    underWay: new Set(),
  };
  const languageJobs = runJobs(writeText, services.actor, { log, onEnd: metrics.languageJobEnded });
  const recordings = startRecordings(
    { ...services.actor, parts: { ...services.parts, languageJobs } },
    {
      audioStore,
      decoder,
      transcriber,
      pause: { state: () => pauseState(services.look()) },
      onEnd: metrics.recordingEnded,
    },
  );
  const recorder = () => recordings.recorder;
  const parts: Parts = { ...services.parts, speech: () => speech, languageJobs, refusals: audit, recorder };
  const daysAgo = (days: number) => new Date(clock() - days * 86_400_000).toISOString();
  const housekeeping = createHousekeeping(
    {
      'empty the trash': () => purgeExpired(services.look()),
      'drop old revisions': () => dropExpired(services.look()),
      'forget old changes': () => forgetOld(services.look()),
      'forget old audit events': audit.forgetOld,
      'forget unused assistants': () => forgetOldAssistants(services.look()),
      'drop old deliveries of webhooks': () =>
        services.database.writeLocked((tx) =>
          removeDeliveries(tx, new Date(clock() - deliveriesKeptDays * dayMs).toISOString()),
        ),
      'scrub the search index': () => services.database.search.scrub(),
      'forget old jobs of language models': () =>
        services.act(async ({ tx }) => void (await forgetLanguageJobs(tx, daysAgo(keptLanguageJobDays)))),
      ...recordings.everyHour,
    },
    log,
  );
  const uploadKeeping = createHousekeeping(recordings.everyMinute, log, 60_000);
  const readiness = {
    database: () => services.database.state(),
    wordFor: wordForFault,
    speech: () => transcriber.status(),
    audio: createAudioProbe(audioStore),
    search: async () => {
      const waiting = services.database.db.selectFrom('search_pending').select('seq').limit(1);
      return (await waiting.executeTakeFirst()) === undefined ? ('ok' as const) : ('incomplete' as const);
    },
    recordings: recordings.state,
  };
  watchParts(metrics, {
    database: services.database,
    transcriber,
    dataDir: config.dataDir,
    async recordings() {
      const { queued, transcribing } = await recordings.state();
      return { queued, transcribing };
    },
    languageJobs: languageJobs.state,
    lastBackup: async () => readLastBackup(await installedValue(services.database.db, lastBackupName)),
  });
  const status = createStatus({
    database: services.database,
    dataDir: config.dataDir,
    writer: services.writer,
    speech: () => transcriber.status(),
    speechSeconds: metrics.speechSeconds,
    recordings: recordings.state,
    languageJobs: languageJobs.state,
    audio: readiness.audio,
    provider,
    mail: () =>
      config.smtpUrl === '' ? null : { host: new URL(config.smtpUrl).host, ...services.outbox.state() },
  });
  const { app, routes } = await buildApp(
    {
      config,
      log,
      clock,
      metrics,
      unavailable: (fault) => services.database.unavailable(fault),
      plans: config.plans,
      authentication,
      audit,
      limiter,
      failures,
      idempotency: createIdempotencyStore(services.database),
      readiness,
      ...services,
      parts: { ...parts, status },
    },
    { describe, sandbox, mountMcp },
  );
  return {
    ...services,
    speech,
    delivery,
    recordings,
    authentication,
    audit,
    app,
    routes,
    log,
    readMetrics: () => metrics.registry.metrics(),
    /** In this order: imports stop, other running requests finish and free their keys, recordings go back into the queue, counters are saved, the database closes. */
    async close() {
      await parts.imports.close();
      await app.close();
      await recordings.close();
      await languageJobs.close();
      audioStore.close();
      await Promise.allSettled(speech.underWay);
      await transcriber.close();
      await decoder.close();
      await closeInOrder(
        {
          'deliveries to webhooks': delivery.close,
          uploads: uploadKeeping.close,
          housekeeping: housekeeping.close,
          'failed sign-ins': failures.close,
          'counts of refused sign-ins': audit.close,
          'counts of requests': limiter.close,
          'when keys were last used': authentication.close,
          mail: services.outbox.close,
          'the sign-in provider': async () => provider?.close(),
          'the database': services.close,
        },
        { log, isPassing: (fault) => unavailable(fault) !== undefined, withinMs: closeStepMs },
      );
    },
  };
}

/** A large database may take minutes, in which the server does not listen. */
async function migrateAndTell(database: Database, clock: Clock, log: Log | undefined): Promise<void> {
  const startedAt = performance.now();
  const done = await migrate(database, clock, undefined, (migrations) =>
    log?.info({ database: database.name, migrations }, 'Migrating the database'),
  );
  const seconds = Math.round(performance.now() - startedAt) / 1_000;
  if (done.length > 0)
    log?.info({ database: database.name, migrations: done.length, seconds }, 'The database is migrated');
}

/** Opens the database without migrating it. */
export async function openDatabase(config: Config): Promise<Database> {
  if (config.databaseUrl === '') return openSqlite(config.dataDir);
  // Loaded only if used, because loading the driver takes 60 ms.
  const { openPostgres } = await import('./platform/database/postgres.ts');
  return openPostgres(config.databaseUrl, config.databasePool, config.databaseListenUrl);
}
