import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../src/config.ts';
import { lastBackupName } from '../../src/platform/backup/last.ts';
import { capturedLog } from '../support/log.ts';
import { openMailbox } from '../support/mailbox.ts';
import { startReceiver } from '../support/receiver.ts';
import { settled, uploadTo } from '../support/recordings.ts';
import { createFakeSpeech, recording } from '../support/speech.ts';
import { databaseKinds, startSteno } from '../support/steno.ts';

const deploy = (name: string) => readFileSync(join(import.meta.dirname, '../../deploy', name), 'utf8');

interface Rule {
  alert?: string;
  record?: string;
  expr: string;
  annotations?: { summary: string; action: string };
}
const rules: Rule[] = parse(deploy('prometheus/steno.rules.yml')).groups.flatMap(
  ({ rules: list }: { rules: Rule[] }) => list,
);
const { panels, templating } = JSON.parse(deploy('grafana-dashboard.json'));
const shown: string[] = [
  ...panels.flatMap(({ targets = [] }: { targets?: { expr: string }[] }) => targets.map(({ expr }) => expr)),
  ...templating.list.map(({ query }: { query: unknown }) => JSON.stringify(query)),
];
const expressions = [...rules.map(({ expr }) => expr), ...shown];
const namesIn = (expression: string) => expression.match(/\b(?:steno|process|nodejs)[_:][\w:]+/g) ?? [];

test.each(databaseKinds)(
  'every figure of the dashboard and of the alert rules is there, on %s',
  async (databaseKind) => {
    const steno = await startSteno({ databaseKind });
    try {
      const { key } = await steno.person();
      const { body } = await uploadTo(steno, key, recording());
      await settled(steno, key, body.data.id);
      // Counted after the row says that it is done.
      await expect.poll(() => steno.readMetrics()).toContain('steno_recording_jobs_total{outcome="done"} 1');
      await steno.store.installation.set(
        lastBackupName,
        JSON.stringify({ at: '2026-01-01T00:00:00.000Z', place: 'x' }),
      );
      const metrics = await steno.readMetrics();
      const lines = metrics.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
      const known = new Set(lines.map((line) => /^[\w:]+/.exec(line)?.[0]));
      for (const { record } of rules) if (record) known.add(record);
      // SQLite has no connections to wait for.
      if (databaseKind === 'sqlite') known.add('steno_database_connections').add('steno_database_waiters');
      const missing = new Set(expressions.flatMap(namesIn).filter((name) => !known.has(name)));
      expect([...missing]).toEqual([]);
      // Labels that a rule names have a figure too.
      for (const { expr } of rules)
        for (const [, name, label] of expr.matchAll(/(steno_\w+)\{(\w+="\w+")\}/g))
          expect(
            lines.some((line) => line.startsWith(`${name}{`) && line.includes(String(label))),
            expr,
          ).toBe(true);
      // Names by the habits of Prometheus, and each one in the documents.
      const docs = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
      for (const [, name = '', type] of metrics.matchAll(/^# TYPE (steno_\w+) (\w+)$/gm)) {
        expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
        if (type === 'histogram') expect(name).toMatch(/_duration_seconds$/);
        expect(docs).toContain(`\`${name}\``);
      }
      // What operators wanted to know of.
      const values = Object.fromEntries(lines.map((line) => line.split(/ (?=\S+$)/)));
      expect(values).toMatchObject({
        'steno_recording_jobs_total{outcome="done"}': '1',
        'steno_recording_jobs_total{outcome="failed"}': '0',
        'steno_recordings_in_queue{state="queued"}': '0',
        steno_search_unindexed_notes: '0',
        'steno_webhooks{status="active"}': '0',
        'steno_mails_total{outcome="sent"}': '0',
        'steno_last_backup_timestamp_seconds{kind="full"}': String(Date.UTC(2026, 0, 1) / 1000),
      });
      expect(Number(values.steno_transcribed_audio_seconds_total)).toBeGreaterThan(0);
      expect(Number(values.steno_database_size_bytes)).toBeGreaterThan(100_000);
      expect(Number(values.steno_audio_size_bytes)).toBe(recording().length);
      expect(Number(values.steno_disk_free_bytes)).toBeGreaterThan(0);
    } finally {
      await steno.close();
    }
  },
);

test('each alert says what happens and what to do', () => {
  for (const { alert, annotations } of rules)
    if (alert)
      expect(annotations).toEqual({
        summary: expect.stringMatching(/./),
        action: expect.stringMatching(/\.$|\?$/),
      });
});

test('what happens is counted: speech that fails with its cause in the log, e-mails, events of webhooks', async () => {
  const mailbox = await openMailbox();
  const receiver = await startReceiver();
  const { log, lines } = capturedLog();
  const { decoder } = createFakeSpeech();
  const { engine } = readConfig({ STENO_ENGINE_URL: 'http://127.0.0.1:9' });
  const steno = await startSteno({
    log,
    speech: { decoder },
    webhookPollMs: 20,
    config: { engine, smtpUrl: mailbox.url, webhookNetworks: ['127.0.0.1/32'] },
  });
  const figure = async (name: string) =>
    Number(
      (await steno.readMetrics())
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')[1],
    );
  try {
    const { key, user } = await steno.person();
    await uploadTo(steno, key, recording());
    await expect.poll(() => figure('steno_recording_jobs_total{outcome="retried"}')).toBeGreaterThan(0);
    expect(await figure('steno_recogniser_faults_total')).toBeGreaterThan(0);
    expect(await figure('steno_speech_ready')).toBe(0);
    expect(lines()).toContainEqual(
      expect.objectContaining({
        level: 40,
        reason: expect.stringMatching(/^127\.0\.0\.1:9: fetch failed: ./),
      }),
    );
    await steno.users.setEmail(user.id, 'ada@example.org');
    await steno.call('POST', '/auth/email-code', { body: { email: 'ada@example.org' } });
    await expect.poll(() => figure('steno_mails_total{outcome="sent"}')).toBe(1);
    await steno.call('POST', '/webhooks', { key, body: { url: receiver.url, events: ['note.created'] } });
    await steno.call('POST', '/notes/create', { key, body: { content: 'x' } });
    await expect.poll(() => figure('steno_webhook_attempts_total{outcome="delivered"}')).toBeGreaterThan(0);
  } finally {
    await steno.close();
    await receiver.close();
    await mailbox.close();
  }
});
