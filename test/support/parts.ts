import { readConfig } from '../../src/config.ts';
import { createWriter } from '../../src/engines/language-model/index.ts';
import { createPasskeyVerifier } from '../../src/engines/sign-in/passkeys.ts';
import { createWebhookEngine } from '../../src/engines/webhooks/index.ts';
import { createWebhookSender } from '../../src/engines/webhooks/sender.ts';
import { startImports } from '../../src/features/import/start.ts';
import type { Parts } from '../../src/kernel/parts.ts';
import { createSignals } from '../../src/lib/signals.ts';
import type { Database } from '../../src/platform/database/database.ts';

/** For operations that run on a database alone: mail goes nowhere, and there is no audio. */
export function testParts(database: Database): Parts {
  const config = readConfig({});
  return {
    config,
    clock: Date.now,
    plans: config.plans,
    log: { info() {}, warn() {}, error() {} },
    outbox: { post() {}, async send() {} },
    authSecret: async () => 'a secret of the tests',
    passkeys: createPasskeyVerifier(),
    webhooks: createWebhookEngine({
      database,
      sender: createWebhookSender({ allowedNetworks: ['192.0.2.1'] }),
      clock: Date.now,
    }),
    provider: null,
    audioStore() {
      throw new Error('There is no audio.');
    },

    speech() {
      throw new Error('There is no speech.');
    },
    setup: null,
    status: async () => [],
    async sweepAudio() {},
    imports: startImports(async () => null),
    recorder() {
      throw new Error('There is no audio.');
    },
    writer: createWriter(config.language),
    texts: createSignals(),
    languageJobs: { wake() {}, cancel() {} },
    refusals: { async save() {} },
  };
}
