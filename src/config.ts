import { resolve } from 'node:path';
import type { SignUpRule } from './domain/email.ts';
import { defaultPlans, type PlanName, type Plans } from './domain/plans.ts';
import type { WriterSettings } from './engines/language-model/index.ts';
import type { EngineSettings } from './engines/speech/index.ts';
import { explainIssues } from './lib/explain-issues.ts';
import type { LogLevel } from './lib/log.ts';
import { type OidcSettings, readOidc } from './oidc-settings.ts';
import { settings } from './settings.ts';

/** What the settings say, as the program uses it. */
export interface Config {
  host: string;
  port: number;
  /** Null: nowhere. */
  metricsListen: { host: string; port: number } | null;
  dataDir: string;
  databaseUrl: string;
  /** Empty: `databaseUrl`. */
  databaseListenUrl: string;
  databasePool: number;
  defaultPlan: PlanName;
  plans: Plans;
  transcriptionPaused: boolean;
  engine: EngineSettings;
  language: WriterSettings;
  modelsUrl: string;
  publicUrl: string;
  trustedProxies: string[];
  signUp: SignUpRule;
  authSecret: string;
  /** Null: no provider. */
  oidc: OidcSettings | null;
  /** People sign in with the provider alone, or by a link of the operator. */
  providerOnly: boolean;
  oauthRegistration: boolean;
  smtpUrl: string;
  mailFrom: string;
  firstSteps: boolean;
  trashDays: number;
  changesDays: number;
  auditDays: number;
  webhookNetworks: string[];
  recordings: {
    /** Empty: `folder`. */
    url: string;
    folder: string;
    /** Servers that share the database need not share the folder. */
    isLocal: boolean;
    keepAudio: boolean;
    /** Null means for as long as the owner wants. */
    keepAudioDays: number | null;
  };
  /** Empty: the command must say. */
  backupUrl: string;
  corsOrigins: string[];
  logLevel: LogLevel;
  authFailuresPerMinute: number;
  headersTimeoutMs: number;
  requestTimeoutMs: number;
}

/** The message has one sentence for each setting that cannot be used. */
export class BadSettings extends Error {}

export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => name.startsWith('STENO_') && value !== ''),
  );
  const result = settings.safeParse(given);
  if (!result.success) throw new BadSettings(explainIssues(settings, given, result.error).join('\n'));
  const values = result.data;
  const problems: string[] = [];
  const oidc = readOidc(values, (problem) => problems.push(problem));
  if (problems.length > 0) throw new BadSettings(problems.join('\n'));
  return {
    host: values.STENO_HOST,
    port: values.STENO_PORT,
    metricsListen: values.STENO_METRICS_LISTEN,
    dataDir: resolve(values.STENO_DATA_DIR),
    databaseUrl: values.STENO_DATABASE_URL,
    databaseListenUrl: values.STENO_DATABASE_LISTEN_URL,
    databasePool: values.STENO_DATABASE_POOL,
    defaultPlan: values.STENO_DEFAULT_PLAN,
    plans: values.STENO_PLANS_FILE ?? defaultPlans,
    transcriptionPaused: values.STENO_TRANSCRIPTION_PAUSED,
    engine: {
      engine: values.STENO_ENGINE ?? (values.STENO_ENGINE_URL === '' ? 'embedded' : 'http'),
      url: values.STENO_ENGINE_URL,
      key: values.STENO_ENGINE_KEY,
      serverModel: values.STENO_ENGINE_MODEL,
      model: values.STENO_MODEL,
      workers: values.STENO_WORKERS,
      cacheFolder: resolve(values.STENO_DATA_DIR, 'cache'),
      modelsFolder: resolve(values.STENO_DATA_DIR, 'models'),
    },
    language: {
      url: values.STENO_LLM_URL,
      key: values.STENO_LLM_KEY,
      model: values.STENO_LLM_MODEL,
      window: values.STENO_LLM_WINDOW,
    },
    modelsUrl: values.STENO_MODELS_URL,
    publicUrl: values.STENO_PUBLIC_URL,
    trustedProxies: values.STENO_TRUSTED_PROXIES,
    signUp: values.STENO_SIGNUP,
    authSecret: values.STENO_AUTH_SECRET,
    oidc,
    providerOnly: values.STENO_SIGNIN === 'oidc',
    oauthRegistration: values.STENO_OAUTH_REGISTRATION === 'yes',
    smtpUrl: values.STENO_SMTP_URL,
    mailFrom: values.STENO_MAIL_FROM,
    firstSteps: values.STENO_FIRST_STEPS === 'yes',
    trashDays: values.STENO_TRASH_DAYS,
    changesDays: values.STENO_CHANGES_DAYS,
    auditDays: values.STENO_AUDIT_DAYS,
    webhookNetworks: values.STENO_WEBHOOK_NETWORKS,
    recordings: {
      url: values.STENO_RECORDINGS_URL,
      folder: resolve(values.STENO_DATA_DIR, 'recordings'),
      isLocal: values.STENO_AUDIO_LOCAL === 'yes',
      keepAudio: values.STENO_KEEP_AUDIO === 'yes',
      keepAudioDays: values.STENO_KEEP_AUDIO_DAYS ?? null,
    },
    backupUrl: values.STENO_BACKUP_URL,
    corsOrigins: values.STENO_CORS_ORIGINS,
    logLevel: values.STENO_LOG_LEVEL,
    authFailuresPerMinute: values.STENO_AUTH_FAILURES_PER_MINUTE,
    headersTimeoutMs: values.STENO_HEADERS_TIMEOUT * 1000,
    requestTimeoutMs: values.STENO_REQUEST_TIMEOUT * 1000,
  };
}
