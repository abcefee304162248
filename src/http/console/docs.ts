import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import { anyone } from '../../domain/access.ts';
import { projectPath } from '../../lib/program.ts';
import { docsPageHeaders } from './page.ts';
import { builtDir, notBuilt } from './routes.ts';

export const openapiFile = projectPath('openapi.json');

const open = { config: { access: anyone } };

/** The OpenAPI document that `npm run openapi` wrote, and a page to read it, whose files are part of the console's build. */
export const docsRoutes: FastifyPluginAsync = async (app) => {
  const described = { ...open, schema: { hide: true, response: { 200: z.string() } } };
  for (const path of ['/api/v1/openapi.json', '/openapi.json'])
    app.get(path, described, async (_request, reply) =>
      reply.type('application/json; charset=utf-8').send(await readFile(openapiFile)),
    );
  app.get('/docs', open, async (_request, reply) => {
    const page = await readFile(join(builtDir, 'docs.html'), 'utf8').catch(() => undefined);
    reply.type('text/html; charset=utf-8').headers(docsPageHeaders);
    return page === undefined ? reply.code(503).send(notBuilt) : reply.send(page);
  });
};
