import { z } from 'zod';
import type { SignUpRule } from './domain/email.ts';
import { planNames } from './domain/plans.ts';
import { isNetwork } from './lib/network.ts';
import { oidcSettings } from './oidc-settings.ts';
import { readPlansFile } from './plans-file.ts';

const seconds = z.coerce.number().positive();
const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);

const signUp = z.string().transform((text, context): SignUpRule => {
  if (text === 'closed' || text === 'open') return { kind: text };
  const domains = text.split(',').map((domain) => domain.trim().toLowerCase());
  if (domains.every((domain) => /^([a-z0-9-]+\.)+[a-z0-9-]+$/.test(domain)))
    return { kind: 'domains', domains };
  context.addIssue('must be closed, open or a list of domains like example.org,example.com');
  return z.NEVER;
});

/** `HOST:PORT`, `[::1]:PORT` or none. */
const listenAddress = z.string().transform((text, context): { host: string; port: number } | null => {
  if (text === 'none') return null;
  const { host, port } = /^\[?(?<host>[^[\]]+?)\]?:(?<port>\d{1,5})$/.exec(text)?.groups ?? {};
  if (host !== undefined && Number(port) <= 65_535) return { host, port: Number(port) };
  context.addIssue('must be an address with a port like 127.0.0.1:9464, or none');
  return z.NEVER;
});

/** Every setting, with its description in docs/settings.md. An empty value counts as not set. */
export const settings = z.object({
  STENO_ENV_FILE: z
    .string()
    .default('')
    .describe(
      'File with more settings, one NAME=value per line, for every command; the same as `--env-file`. A variable of the environment wins.',
    ),
  STENO_HOST: z.string().default('127.0.0.1').describe('Address to listen on. 0.0.0.0 means all.'),
  STENO_PORT: z.coerce.number().int().min(0).max(65_535).default(8787).describe('Port to listen on.'),
  STENO_METRICS_LISTEN: listenAddress
    .prefault('127.0.0.1:9464')
    .describe(
      'Address and port for `/metrics` of Prometheus, apart from the API: everyone who can reach it may read it. none for no metrics.',
    ),
  STENO_DATA_DIR: z
    .string()
    .default('./data')
    .describe('Folder for the SQLite database and for speech models.'),
  STENO_DATABASE_URL: z
    .union([z.literal(''), z.url({ protocol: /^postgres(ql)?$/ })])
    .default('')
    .describe('PostgreSQL address, `postgres://…`. Leave it empty to use SQLite.'),
  STENO_DATABASE_LISTEN_URL: z
    .union([z.literal(''), z.url({ protocol: /^postgres(ql)?$/ })])
    .default('')
    .describe(
      'PostgreSQL address past a pooler like PgBouncer, for the one connection that listens. If empty, STENO_DATABASE_URL.',
    ),
  STENO_DATABASE_POOL: z.coerce
    .number()
    .int()
    .min(1)
    .max(1000)
    .default(10)
    .describe('Most PostgreSQL connections that one server opens.'),
  STENO_DEFAULT_PLAN: z
    .enum(planNames)
    .default('business')
    .describe('Plan for new users and workspaces: free, pro or business.'),
  STENO_PLANS_FILE: z
    .string()
    .transform((file, context) => readPlansFile(file, (message) => context.addIssue(message)))
    .optional()
    .describe('JSON file that changes what the plans allow. Anything it leaves out keeps its default.'),
  STENO_TRANSCRIPTION_PAUSED: z
    .stringbool()
    .default(false)
    .describe('If true, POST /transcribe answers 503, even when `steno pause` is off.'),
  STENO_ENGINE: z
    .enum(['embedded', 'http', 'fake'])
    .optional()
    .describe(
      'Speech engine: embedded, http, or fake (for tests). The default is http if STENO_ENGINE_URL is set, otherwise embedded.',
    ),
  STENO_MODEL: z
    .string()
    .default('')
    .describe(
      'GGML or GGUF file of a speech model. Leave it empty to use the one chosen with `steno models use`, or else the one that comes with Steno.',
    ),
  STENO_MODELS_URL: z
    .url({ protocol: /^https?$/ })
    .default('https://huggingface.co')
    .describe('Where `steno models add` downloads from: Hugging Face, or a mirror with the same paths.'),
  STENO_WORKERS: z.coerce
    .number()
    .int()
    .min(0)
    .max(64)
    .default(0)
    .describe('Processes that transcribe. 0 chooses a number from the cores and memory of the machine.'),
  STENO_ENGINE_URL: z
    .union([z.literal(''), z.url({ protocol: /^https?$/ })])
    .default('')
    .describe(
      'Speech server to use instead of the embedded engine. It must offer `/v1/audio/transcriptions`.',
    ),
  STENO_ENGINE_KEY: z.string().default('').describe('Bearer key for the speech server.'),
  STENO_ENGINE_MODEL: z.string().default('').describe('Model to request from the speech server.'),
  STENO_LLM_URL: z
    .union([z.literal(''), z.url({ protocol: /^https?$/ })])
    .default('')
    .describe(
      'Language model: the address of a server with `/v1/chat/completions`. If empty, no text goes to any model.',
    ),
  STENO_LLM_KEY: z.string().default('').describe('Bearer key for the language model.'),
  STENO_LLM_MODEL: z
    .string()
    .default('')
    .describe('Model to request from it. If empty, the first one that it lists.'),
  STENO_LLM_WINDOW: z.coerce
    .number()
    .int()
    .min(0)
    .max(100_000_000)
    .default(0)
    .describe(
      'Tokens that fit into one request with its answer. 0 asks the server; if it does not say, 4096.',
    ),
  STENO_PUBLIC_URL: z
    .union([z.literal(''), z.url({ protocol: /^https?$/ })])
    .default('')
    .describe(
      'Address at which people reach the server, if it is behind a proxy. Invitations are mailed only if it is set.',
    ),
  STENO_TRUSTED_PROXIES: list
    .prefault('')
    .describe('Proxies whose X-Forwarded-For header is trusted: addresses or networks, comma-separated.'),
  STENO_SIGNUP: signUp
    .prefault('closed')
    .describe(
      'Who may create an account with their e-mail address: closed (nobody), open (everybody), or a comma-separated list of domains.',
    ),
  STENO_AUTH_SECRET: z
    .union([z.literal(''), z.string().min(32)])
    .default('')
    .describe('Secret that protects mailed codes. If empty, a random one is made and kept in the database.'),
  ...oidcSettings,
  STENO_OAUTH_REGISTRATION: z
    .enum(['yes', 'no'])
    .default('yes')
    .describe(
      'Whether assistants may register themselves, so that people can connect them without a key: yes or no. No leaves those that are connected.',
    ),
  STENO_SMTP_URL: z
    .union([z.literal(''), z.url({ protocol: /^smtps?$/ })])
    .default('')
    .describe('Mail server, `smtp://user:password@host:587`. If empty, codes are written to the log.'),
  STENO_MAIL_FROM: z
    .string()
    .regex(/^[^\r\n]*$/, 'must be one line')
    .default('Steno <steno@localhost>')
    .describe('Sender of the e-mails.'),
  STENO_FIRST_STEPS: z
    .enum(['yes', 'no'])
    .default('yes')
    .describe('Whether the console shows new people three steps and a sample voice note: yes or no.'),
  STENO_TRASH_DAYS: z.coerce
    .number()
    .int()
    .min(1)
    .max(36_500)
    .default(30)
    .describe('Days that deleted notes stay in the trash.'),
  STENO_CHANGES_DAYS: z.coerce
    .number()
    .int()
    .min(2)
    .max(36_500)
    .default(90)
    .describe('Days for which GET /changes and paused webhooks can go back.'),
  STENO_AUDIT_DAYS: z.coerce
    .number()
    .int()
    .min(1)
    .max(36_500)
    .default(365)
    .describe('Days that the audit log goes back.'),
  STENO_WEBHOOK_NETWORKS: list
    .refine(
      (networks) => networks.every(isNetwork),
      'must be addresses or networks, like 10.0.0.0/8,fd00::/8',
    )
    .prefault('')
    .describe(
      'Private addresses and networks that webhooks may call, comma-separated. If empty, only public addresses over https.',
    ),
  STENO_RECORDINGS_URL: z
    .union([z.literal(''), z.url({ protocol: /^s3$/ })])
    .default('')
    .describe(
      'S3 store for the audio of recordings, `s3://KEY:SECRET@HOST/BUCKET`, which several servers can share. If empty, the folder `recordings` of the data folder.',
    ),
  STENO_AUDIO_LOCAL: z
    .enum(['yes', 'no'])
    .default('no')
    .describe(
      'Whether several servers on one database may each keep audio in a folder of their own, where the others cannot play or transcribe it: yes or no.',
    ),
  STENO_BACKUP_URL: z
    .string()
    .default('')
    .describe(
      'Where `steno backup` writes and `steno restore` reads if they are not told: a folder, or an S3 store `s3://KEY:SECRET@HOST/BUCKET/FOLDER`.',
    ),
  STENO_KEEP_AUDIO: z
    .enum(['yes', 'no'])
    .default('yes')
    .describe('Whether the audio of recordings may stay once its words are stored: yes or no.'),
  STENO_KEEP_AUDIO_DAYS: z.coerce
    .number()
    .int()
    .min(1)
    .max(36_500)
    .optional()
    .describe('Days after which the audio of recordings is deleted. If empty, it stays until it is deleted.'),
  STENO_CORS_ORIGINS: list
    .prefault('*')
    .describe('Web origins that may call the API, comma-separated. * allows all.'),
  STENO_LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Log level: trace, debug, info, warn, error or silent. info writes one line per request.'),
  STENO_AUTH_FAILURES_PER_MINUTE: z.coerce
    .number()
    .int()
    .min(1)
    .default(60)
    .describe(
      'Failed credentials that one address may send per minute. Further failures answer 429; a valid key always works.',
    ),
  STENO_HEADERS_TIMEOUT: seconds
    .default(15)
    .describe('Seconds a client has to send the headers of a request.'),
  STENO_REQUEST_TIMEOUT: seconds.default(120).describe('Seconds a client has to send a whole request.'),
});
