import { watchParts } from './compose-metrics.ts';
import { startSpeech } from './compose-speech.ts';
import type { Config } from './config.ts';
import type { Transcriber } from './engines/ports/transcriber.ts';
import { createWebhookDelivery } from './engines/webhooks/delivery.ts';
import { addTo, countRefusals } from './features/audit/refusals.ts';
import { startTimeline } from './features/changes/queries.ts';
import { everyHour } from './features/housekeeping.ts';
import { createAuthentication } from './features/identity/authentication.ts';
import { writeText } from './features/language/write-text.ts';
import { createStatus } from './features/operator/status/live.ts';
import { startRecordings } from './features/recordings/start.ts';
import { pauseState } from './features/transcribe/pause.ts';
import { runJobs } from './kernel/job.ts';
import type { Parts } from './kernel/parts.ts';
import { closeInOrder } from './lib/close-in-order.ts';
import { createLog } from './lib/log.ts';
import { createAudioProbe, requireSharedFolder } from './platform/audio-store/index.ts';
import { lastBackupName, readLastBackup } from './platform/backup/last.ts';
import { createFigures } from './platform/database/figures.ts';
import { createIdempotencyStore } from './platform/database/idempotency.ts';
import { installedValue } from './platform/database/installation.ts';
import { createKeyStore } from './platform/database/keys.ts';
import { createFailureCounter, createRateLimiter } from './platform/database/rate-limits.ts';
import { unavailable, wordForFault } from './platform/database/unusable.ts';
import { createHousekeeping } from './platform/housekeeping.ts';
import { indexAndTell } from './platform/indexing.ts';
import { composeServices, type ServiceOptions } from './services.ts';

interface ComposeOptions extends ServiceOptions {
  /** Replaces the engine from the settings. */
  transcriber?: Transcriber;
  /** How often to look for events to deliver. */
  webhookPollMs?: number;
  /** Only to describe the API. */
  describe?: boolean;
  /** Whether callers may ask for errors. */
  sandbox?: boolean;
}

/** A step of closing takes milliseconds. `steno serve` ends after nine seconds, whatever hangs. */
const closeStepMs = 2_500;

/** The whole program: settings in; services, the HTTP app and a clean shutdown out. */
export async function compose(config: Config, options: ComposeOptions = {}) {
  const { clock = Date.now, log = createLog(config.logLevel), describe = false, sandbox = false } = options;
  // Not for commands, which start in two thirds of the time without them.
  const [{ buildApp }, { createMetrics }, { mountMcp }] = await Promise.all([
    import('./app.ts'),
    import('./platform/http/metrics.ts'),
    import('./mcp/index.ts'),
  ]);
  const metrics = createMetrics();
  const services = await composeServices(config, {
    ...options,
    clock,
    log,
    onWrite: (seconds) => metrics.databaseWrites.observe(seconds),
    onMail: metrics.mailSent,
  });
  const { database } = services;
  if (!database.singleProcess && config.recordings.url === '' && !config.recordings.isLocal)
    await requireSharedFolder(config.recordings.folder, database).catch(async (cause: unknown) => {
      await services.close();
      throw cause;
    });
  await startTimeline(database, { always: false });
  await database.write(database.search.queueOutdated);
  const figures = createFigures(database);
  // In the background. A search says if notes are not indexed yet.
  void indexAndTell({
    count: figures.unindexedNotes,
    index: () => database.search.indexPending(),
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
  const limiter = await createRateLimiter(database, clock, log);
  const failures = createFailureCounter(database, limiter, clock);
  const audit = countRefusals({ clock, log, add: addTo(database) });
  const authentication = createAuthentication({
    database,
    keys: createKeyStore(database),
    clock,
    log,
  });
  // Made at the start, so that servers that start together agree on it.
  await services.parts.authSecret();
  const { provider } = services.parts;
  const speech = startSpeech(config.engine, { ...options, log, metrics });
  const languageJobs = runJobs(writeText, services.actor, { log, onEnd: metrics.languageJobEnded });
  const recordings = startRecordings(
    { ...services.actor, parts: { ...services.parts, languageJobs } },
    {
      audioStore,
      ...speech,
      pause: { state: () => pauseState(services.look()) },
      onEnd: metrics.recordingEnded,
    },
  );
  const recorder = () => recordings.recorder;
  const parts: Parts = { ...services.parts, speech: () => speech, languageJobs, refusals: audit, recorder };
  const housekeeping = createHousekeeping({ ...everyHour(services.actor), ...recordings.everyHour }, log);
  const uploadKeeping = createHousekeeping(recordings.everyMinute, log, 60_000);
  const readiness = {
    database: () => database.state(),
    wordFor: wordForFault,
    speech: () => speech.transcriber.status(),
    audio: createAudioProbe(audioStore),
    search: async () => ((await figures.isIndexed()) ? ('ok' as const) : ('incomplete' as const)),
    recordings: recordings.state,
  };
  watchParts(metrics, {
    database,
    transcriber: speech.transcriber,
    dataDir: config.dataDir,
    async recordings() {
      const { queued, transcribing } = await recordings.state();
      return { queued, transcribing };
    },
    languageJobs: languageJobs.state,
    lastBackup: async () => readLastBackup(await installedValue(database.db, lastBackupName)),
  });
  const status = createStatus({
    database,
    dataDir: config.dataDir,
    writer: services.writer,
    speech: () => speech.transcriber.status(),
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
      unavailable: (fault) => database.unavailable(fault),
      plans: config.plans,
      authentication,
      audit,
      limiter,
      failures,
      idempotency: createIdempotencyStore(database),
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
      await speech.transcriber.close();
      await speech.decoder.close();
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
