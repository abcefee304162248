import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { announceDeprecation } from '../../src/http/deprecation.ts';

const deprecated = { since: '2027-01-01T00:00:00Z', until: '2028-01-01T00:00:00Z' };

test('answers of a route that will go say so, refusals too, and no others do', async () => {
  const app = Fastify();
  announceDeprecation(app);
  app.get('/old', { config: { deprecated } }, async () => ({}));
  app.get('/broken', { config: { deprecated } }, async () => {
    throw new Error('no');
  });
  app.get('/new', async () => ({}));
  for (const url of ['/old', '/broken'])
    expect((await app.inject(url)).headers).toMatchObject({
      deprecation: '@1798761600',
      sunset: 'Sat, 01 Jan 2028 00:00:00 GMT',
    });
  expect((await app.inject('/new')).headers).not.toHaveProperty('deprecation');
  await app.close();
});

test('a route that ends before it is deprecated does not start', () => {
  const app = Fastify();
  announceDeprecation(app);
  const wrong = { since: deprecated.until, until: deprecated.since };
  expect(() => app.get('/old', { config: { deprecated: wrong } }, async () => ({}))).toThrow('stops working');
});
