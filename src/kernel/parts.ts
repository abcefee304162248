import type { Config } from '../config.ts';
import type { AudioFormat } from '../domain/audio.ts';
import type { Plans } from '../domain/plans.ts';
import type { Check } from '../domain/status.ts';
import type { AudioDecoder } from '../engines/ports/audio.ts';
import type { Transcriber } from '../engines/ports/transcriber.ts';
import type { LanguageWriter } from '../engines/ports/writer.ts';
import type { IdentityProvider } from '../engines/sign-in/oidc.ts';
import type { PasskeyVerifier } from '../engines/sign-in/passkeys.ts';
import type { WebhookEngine } from '../engines/webhooks/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Signals } from '../lib/signals.ts';
import type { AudioStore } from '../platform/audio-store/audio-store.ts';
import type { Outbox } from '../platform/mail/mailer.ts';

/** What only the program that runs the server can do, so that it is set up in the browser. */
export interface SetupHost {
  /** Settings of the environment come first, so set-up cannot change them. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Begins anew with the settings in the file. If that fails, `undo` brings back those of before. */
  restart(finished: { userId: string; undo(): void }): void;
  /** Why what was entered last could not be used. */
  readonly problem: string | null;
}

export interface OpenSetup extends SetupHost {
  isChecking: boolean;
  isApplying: boolean;
}

/** What recognises speech on this server. */
export interface Speech {
  readonly transcriber: Transcriber;
  readonly decoder: AudioDecoder;
  /** What the decoder reads on this machine. */
  formats(): Promise<readonly AudioFormat[]>;
  /** The calls of `POST /transcribe` in work: when all have ended, every key is free, even if its request was cut off. */
  readonly underWay: Set<Promise<unknown>>;
}

/** What the program is made of besides the database. `compose` makes it once; operations get it in their context. */
export interface Parts {
  readonly config: Config;
  /** For work that takes longer than its request's `now` is true. */
  readonly clock: Clock;
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
  /** Only a running server has it: its models take seconds to load. */
  speech(): Speech;
  /** Null where several servers may run: one file would be the settings of one of them. */
  readonly setup: OpenSetup | null;
  /** How every part of the server is. Only a running server knows. */
  status(): Promise<Check[]>;
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
