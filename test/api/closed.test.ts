import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { refuseUnguarded } from '../../src/kernel/route.ts';
import { fill, operations } from '../support/operations.ts';
import { settled } from '../support/recordings.ts';
import { createFakeSpeech, recording } from '../support/speech.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

describe('every route of the running server', () => {
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ speech: createFakeSpeech() });
  });
  afterAll(() => steno.close());

  /** Open on purpose. Whoever adds a line here has thought about it. */
  const openRoutes = [
    /^GET \/(healthz|readyz|icon\.svg|[a-z0-9-]+\.png|manifest\.webmanifest|sw\.js|)$/,
    /^GET \/(docs|assets\/:file)$/,
    /^GET (\/api\/v1)?\/openapi\.json$/,
    /^POST \/api\/v1\/auth\/email-code(\/verify)?$/,
    /^(GET|POST) \/api\/auth\//,
    /^GET \/\.well-known\/oauth-(protected-resource(\/mcp)?|authorization-server)$/,
    /^POST \/oauth\/(register|token|revoke)$/,
  ];

  const routes = () =>
    steno.routes.flatMap(({ method, ...route }) =>
      [method].flat().map((name) => ({ ...route, name: `${name} ${route.url}` })),
    );
  // HEAD is answered by its GET, and a 405 by nobody.
  const real = () =>
    routes().filter(
      ({ name, schema }) => !name.startsWith('HEAD ') && !Object.hasOwn(Object(schema?.response), 405),
    );

  test('says who may call it, and is open only where that is wanted', () => {
    expect(real().length).toBeGreaterThan(40);
    for (const { name, config } of real()) {
      expect([name, config?.access]).toEqual([name, expect.anything()]);
      if (config?.access?.credential === 'none')
        expect(
          openRoutes.some((form) => form.test(name)),
          `${name} is open to everyone`,
        ).toBe(true);
    }
  });

  test('really refuses who has no credential', async () => {
    for (const { name, url, config } of real()) {
      if (config?.access?.credential === 'none') continue;
      const [method = ''] = name.split(' ');
      const answer = await steno.app.inject({ method: method as 'GET', url: url.replace(/:\w+/g, 'x') });
      expect([name, answer.statusCode]).toEqual([name, 401]);
    }
  });

  test("under /api lets no browser show a person's data again without asking", async () => {
    const { key } = await steno.person();
    const { id: note } = (await steno.call('POST', '/notes/create', { key, body: { content: 'x' } })).body
      .data;
    const { id: recorded } = (
      await steno.call('POST', '/recordings', {
        key,
        body: recording(),
        headers: { 'content-type': 'audio/wav' },
      })
    ).body.data;
    const { transcription_id } = await settled(steno, key, recorded);
    const ids: Record<string, string> = {
      notes: note,
      recordings: recorded,
      transcriptions: transcription_id ?? '',
    };
    const gets = operations.filter(({ name }) => name.startsWith('GET /api/'));
    const withData: string[] = [];
    for (const { name, path, pathIds, needsCredential } of gets) {
      const url = fill(
        path,
        pathIds.map((segment) => ids[segment] ?? 'none'),
      );
      const headers = { authorization: `Bearer ${key}`, 'tus-resumable': '1.0.0' };
      const answer = await steno.app.inject({ method: 'GET', url, headers });
      if (!needsCredential) continue;
      expect([name, answer.headers['cache-control']]).toEqual([
        name,
        expect.stringMatching(/no-(store|cache)$/),
      ]);
      if (answer.statusCode === 200) withData.push(name);
    }
    for (const path of ['/notes/{id}', '/recordings/{id}/audio', '/transcriptions/{id}', '/me', '/export'])
      expect(withData).toContain(`GET /api/v1${path}`);
  });

  test('under /api says what it answers', () => {
    for (const { name, url, schema } of routes())
      if (url.startsWith('/api')) expect([name, Object(schema).response]).toEqual([name, expect.any(Object)]);
  });

  test('is in openapi.json, or hides on purpose', () => {
    const described = new Set(operations.map(({ name }) => name.replace(/\{(\w+)\}/g, ':$1')));
    const missing = real().flatMap(({ name, schema }) =>
      described.has(name) || Object(schema).hide || openRoutes.some((form) => form.test(name)) ? [] : [name],
    );
    expect(missing).toEqual([]);
  });
});

describe('a route that leaves something open', () => {
  /** The same check as the server's, on an app that is not ready yet. */
  async function adding(add: (app: FastifyInstance) => void): Promise<unknown> {
    const { default: Fastify } = await import('fastify');
    const app = Fastify();
    app.addHook('onRoute', refuseUnguarded);
    add(app);
    return app.ready().then(
      () => 'started',
      (error: unknown) => error,
    );
  }
  const open = { access: { credential: 'none' } } as const;

  test('does not start without access', async () => {
    await expect(async () => {
      const outcome = await adding((app) => app.get('/leak', async () => ({ key_hash: 'x' })));
      if (outcome instanceof Error) throw outcome;
    }).rejects.toThrow('GET /leak does not say who may call it');
  });

  test('does not start without a response schema under /api', async () => {
    await expect(async () => {
      const outcome = await adding((app) =>
        app.get('/api/v1/leak', { config: open }, async () => ({ key_hash: 'x' })),
      );
      if (outcome instanceof Error) throw outcome;
    }).rejects.toThrow('GET /api/v1/leak does not say what it answers');
  });

  test('starts when it says both', async () => {
    const schema = { response: { 200: z.string() } };
    const outcome = await adding((app) => {
      app.setSerializerCompiler(() => JSON.stringify);
      app.get('/api/v1/fine', { config: open, schema }, async () => 'fine');
    });
    expect(outcome).toBe('started');
  });
});
