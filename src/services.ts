import { randomBytes } from 'node:crypto';
import type { Config } from './config.ts';
import { type Authority, operator, type Principal } from './domain/principal.ts';
import { identifyAudio } from './engines/audio/decoder.ts';
import { createWriter } from './engines/language-model/index.ts';
import type { AudioDecoder } from './engines/ports/audio.ts';
import type { LanguageWriter } from './engines/ports/writer.ts';
import { createOidcProvider } from './engines/sign-in/oidc.ts';
import { createPasskeyVerifier } from './engines/sign-in/passkeys.ts';
import { createWebhookEngine } from './engines/webhooks/index.ts';
import { createWebhookSender } from './engines/webhooks/sender.ts';
import { startImports } from './features/import/start.ts';
import { createMeteredWriter } from './features/language/metered.ts';
import { sweepAudio } from './features/recordings/start.ts';
import type { Actor, CommandContext } from './kernel/context.ts';
import type { Parts, SetupHost } from './kernel/parts.ts';
import { act, asProgram, contextFor } from './kernel/run.ts';
import type { Clock } from './lib/clock.ts';
import { lazily } from './lib/lazily.ts';
import { createLog, type Log } from './lib/log.ts';
import { createSignals } from './lib/signals.ts';
import { newUuid } from './lib/uuid.ts';
import { openAudioStore } from './platform/audio-store/index.ts';
import { sharedValue } from './platform/database/installation.ts';
import { isUnused, noDatabase } from './platform/database/migrate.ts';
import { migrateAndTell, openDatabase } from './platform/database/open.ts';
import { requireDatabase } from './platform/database/sqlite.ts';
import { watched } from './platform/database/unusable.ts';
import { createMailer } from './platform/mail/index.ts';
import { createOutbox } from './platform/mail/outbox.ts';

export interface ServiceOptions {
  /** False: raise `not_found` rather than make a database, which would be the wrong one: the settings name another. */
  create?: boolean;
  clock?: Clock;
  log?: Log;
  onWrite?: (seconds: number) => void;
  /** Gets how each mail ended. */
  onMail?: (outcome: 'sent' | 'failed') => void;
  /** Replace the language model and the decoder from the settings. */
  writer?: LanguageWriter;
  decoder?: AudioDecoder;
  /** Without it, the server cannot be set up in the browser. */
  setup?: SetupHost;
}

export type Services = Awaited<ReturnType<typeof composeServices>>;

/** Migrates the database and makes what operations use. Commands have this, whether or not a server runs. */
export async function composeServices(config: Config, options: ServiceOptions = {}) {
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
