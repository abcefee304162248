import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { lastBackupName } from '../../src/backups/last.ts';
import { settled, uploadTo } from '../support/recordings.ts';
import { recording } from '../support/speech.ts';
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
      await steno.store.installation.set(
        lastBackupName,
        JSON.stringify({ at: '2026-01-01T00:00:00.000Z', place: 'x' }),
      );
      const lines = (await steno.readMetrics())
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#'));
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

test('every metric of Steno follows the habits of Prometheus', async () => {
  const steno = await startSteno();
  const types = [...(await steno.readMetrics()).matchAll(/^# TYPE (steno_\w+) (\w+)$/gm)];
  await steno.close();
  expect(types.length).toBeGreaterThan(20);
  for (const [, name = '', type] of types) {
    expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
    if (type === 'histogram') expect(name).toMatch(/_duration_seconds$/);
  }
});

test('each alert says what happens and what to do, and each metric is explained in the documents', async () => {
  for (const { alert, annotations } of rules)
    if (alert)
      expect(annotations).toEqual({
        summary: expect.stringMatching(/./),
        action: expect.stringMatching(/\.$|\?$/),
      });
  const docs = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
  const steno = await startSteno();
  const names = [...(await steno.readMetrics()).matchAll(/^# TYPE (steno_\w+) /gm)].map(([, name]) => name);
  await steno.close();
  expect(names.filter((name) => !docs.includes(`\`${name}`))).toEqual([]);
});
