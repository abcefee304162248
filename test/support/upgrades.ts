import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import pg from 'pg';
import { expect } from 'vitest';
import type { UpgradeFixture } from '../../scripts/seed-upgrade.ts';
import { compose } from '../../src/compose.ts';
import type { Config } from '../../src/config.ts';
import { createFakeSpeech } from './speech.ts';
import { type DatabaseKind, emptyDatabase, silentLog } from './steno.ts';

const folder = join(import.meta.dirname, '../fixtures/upgrades');

/** The earlier versions whose databases are kept, the oldest first. */
export const earlierVersions = readdirSync(folder).sort();

const unpack = (version: string, file: string) =>
  brotliDecompressSync(readFileSync(join(folder, version, file)));

/** A database as that version left it, and what that version answered. */
export async function openEarlier(kind: DatabaseKind, version: string) {
  const { config, dispose } = await emptyDatabase(kind);
  if (kind === 'sqlite') {
    mkdirSync(config.dataDir, { recursive: true });
    writeFileSync(join(config.dataDir, 'steno.db'), unpack(version, 'steno.db.br'));
  } else {
    const client = new pg.Client({ connectionString: config.databaseUrl });
    await client.connect();
    await client.query(unpack(version, 'postgres.sql.br').toString());
    await client.end();
  }
  const fixture: UpgradeFixture = JSON.parse(unpack(version, `${kind}.json.br`).toString());
  return { config, dispose, fixture };
}

/** Moves with each request, is opaque, or tells what the server can do. */
const volatile = new Set(['last_used_at', 'last_used_route', 'next_cursor', 'current_period_end', 'speech']);

/** Where subtitles break is up to each version; the words are not. */
const wordsOf = (subtitles: string) =>
  subtitles
    .split('\n')
    .filter((line) => !/-->|^\d*$/.test(line))
    .join(' ');

function comparable(value: unknown): unknown {
  if (typeof value === 'string' && value.includes(' --> ')) return wordsOf(value);
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([name]) => !volatile.has(name));
  return Object.fromEntries(fields.map(([name, field]) => [name, comparable(field)]));
}

/** This version on that database, an hour later: every record is as it was, keys and sessions work, every note is found. */
export async function expectUpgraded(config: Config, fixture: UpgradeFixture): Promise<void> {
  let now = Date.parse(fixture.seeded_at) + 3_600_000;
  const { decoder, transcriber } = createFakeSpeech();
  const steno = await compose(config, { decoder, transcriber, clock: () => now, log: silentLog });
  try {
    await steno.app.ready();
    const call = async (as: string, method: 'GET' | 'POST' | 'PATCH', url: string, payload?: object) => {
      // Far below what a key may ask for in a minute.
      now += 1_000;
      const authorization = `Bearer ${fixture.credentials[as] ?? as}`;
      const response = await steno.app.inject({
        method,
        url,
        headers: { authorization },
        ...(payload ? { payload } : {}),
      });
      const isJson = String(response.headers['content-type']).startsWith('application/json');
      return { status: response.statusCode, body: isJson ? response.json() : response.body };
    };
    for (const { as, path, body } of fixture.told) {
      const answer = await call(as, 'GET', path);
      expect({ as, path, status: answer.status, body: comparable(answer.body) }).toMatchObject({
        as,
        path,
        status: 200,
        body: comparable(body),
      });
    }
    expect((await call(fixture.revoked, 'GET', '/api/v1/me')).status).toBe(401);

    await steno.database.search.indexPending();
    expect(await steno.database.search.countGaps()).toBe(0);
    for (const { as, space_id, word, note_id } of fixture.words) {
      const { body } = await call(as, 'POST', '/api/v1/notes/search', {
        query: word,
        ...(space_id ? { space_id } : {}),
      });
      expect([word, body.data.map(({ id }: { id: string }) => id)]).toEqual([word, [note_id]]);
    }
    const changed = fixture.words[0]?.note_id;
    const { status, body } = await call('ada', 'PATCH', `/api/v1/notes/${changed}`, { title: 'After' });
    expect([status, body.data.title]).toEqual([200, 'After']);
  } finally {
    await steno.close();
  }
}
