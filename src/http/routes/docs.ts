import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import { anyone } from '../../domain/access.ts';

export const openapiFile = join(import.meta.dirname, '../../../openapi.json');

const swaggerUiDir = join(
  dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui/package.json')),
  'static',
);

// No inline script and nothing from another host, so the page works offline.
const contentSecurityPolicy =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";

const page = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Steno API</title>
  <link rel="stylesheet" href="/docs/assets/swagger-ui.css">
</head>
<body>
  <div id="docs"></div>
  <script src="/docs/assets/swagger-ui-bundle.js"></script>
  <script src="/docs/start.js"></script>
</body>
</html>
`;

const startScript = `SwaggerUIBundle({
  url: '/api/v1/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  persistAuthorization: false,
});
`;

const open = { config: { access: anyone } };

/** The OpenAPI document that `npm run openapi` wrote, and a page to read it. */
export const docsRoutes: FastifyPluginAsync = async (app) => {
  await app.register(fastifyStatic, { root: swaggerUiDir, serve: false });

  const described = { ...open, schema: { hide: true, response: { 200: z.string() } } };
  for (const path of ['/api/v1/openapi.json', '/openapi.json'])
    app.get(path, described, async (_request, reply) =>
      reply.type('application/json; charset=utf-8').send(await readFile(openapiFile)),
    );
  app.get('/docs', open, async (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', contentSecurityPolicy)
      .send(page),
  );
  app.get('/docs/start.js', open, async (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(startScript),
  );
  for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js'])
    app.get(`/docs/assets/${file}`, open, (_request, reply) => reply.sendFile(file, { maxAge: 3_600_000 }));
};
