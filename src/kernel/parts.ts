import type { Config } from '../config.ts';
import type { Plans } from '../domain/plans.ts';
import type { Log } from '../lib/log.ts';
import type { Signals } from '../lib/signals.ts';
import type { AudioStore } from '../ports/audio-store.ts';
import type { IdentityProvider } from '../ports/identity-provider.ts';
import type { Outbox } from '../ports/mailer.ts';
import type { PasskeyVerifier } from '../ports/passkeys.ts';
import type { LanguageWriter } from '../ports/writer.ts';
import type { WebhookEngine } from '../webhooks/index.ts';

/** What the program is made of besides the database. `compose` makes it once; operations get it in their context. */
export interface Parts {
  readonly config: Config;
  readonly plans: Plans;
  readonly log: Log;
  readonly outbox: Outbox;
  /** The same on every server, so that what begins at one may end at another. */
  authSecret(): Promise<string>;
  readonly passkeys: PasskeyVerifier;
  /** Null if people sign in without one. */
  readonly provider: IdentityProvider | null;
  readonly webhooks: WebhookEngine;
  audioStore(): Promise<AudioStore>;
  /** Removes audio that no recording needs any more. */
  sweepAudio(): Promise<void>;
  /** The language model; each request counts for a person. */
  readonly writer: LanguageWriter;
  /** The texts that this server writes, as far as they are. */
  readonly texts: Signals<string>;
  /** The jobs that write them; without a server there are none. */
  readonly languageJobs: { wake(): void; cancel(id: string): void };
  /** Refusals that are counted and not in the database yet; without a server there are none. */
  readonly refusals: { save(): Promise<void> };
}
