import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import { anyone } from '../domain/access.ts';
import { projectPath } from '../lib/program.ts';
import { acceptsGzip } from '../platform/http/compress.ts';
import { isKnown, notModified } from '../platform/http/etag.ts';
import { docsPageHeaders } from './page.ts';
import { builtDir, notBuilt } from './routes.ts';

export const openapiFile = projectPath('openapi.json');

const open = { config: { access: anyone } };

/** The OpenAPI document that `npm run openapi` wrote, and a page to read it, whose files are part of the console's build. */
export const docsRoutes: FastifyPluginAsync = async (app) => {
  const described = { ...open, schema: { hide: true, response: { 200: z.string(), 304: notModified } } };
  let file: ReturnType<typeof readDocument> | undefined;
  for (const path of ['/api/v1/openapi.json', '/openapi.json'])
    app.get(path, described, async (request, reply) => {
      file ??= readDocument();
      const { plain, compressed, tag } = await file;
      // It changes with the server: a client asks each time, and gets 304 until then.
      reply.headers({ etag: tag, 'cache-control': 'no-cache', vary: 'Accept-Encoding' });
      if (isKnown(reply, tag)) return reply.code(304).send();
      reply.type('application/json; charset=utf-8');
      return acceptsGzip(request)
        ? reply.header('content-encoding', 'gzip').send(compressed)
        : reply.send(plain);
    });
  app.get('/docs', open, async (_request, reply) => {
    const page = await readFile(join(builtDir, 'docs.html'), 'utf8').catch(() => undefined);
    reply.type('text/html; charset=utf-8').headers(docsPageHeaders);
    return page === undefined ? reply.code(503).send(notBuilt) : reply.send(page);
  });
};

/** Compressed once: of 500 kB, 40 remain. */
async function readDocument() {
  const plain = await readFile(openapiFile);
  const compressed = await promisify(gzip)(plain, { level: 9 });
  return { plain, compressed, tag: `W/"${hash('sha1', plain, 'base64url')}"` };
}
