import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';

import { anyone } from '../domain/access.ts';
import { projectPath } from '../lib/program.ts';
import { nothingHere } from '../platform/http/method-not-allowed.ts';
import { withFirstAnswers } from './first-answers.ts';
import { pageHeaders, serviceWorkerHeaders } from './page.ts';

export const builtDir = projectPath('web/dist');

/** All file names of a build match this. Other names could make the file system throw. */
const builtName = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,120}$/;

/** Files of web/public: icons, and what a browser needs to install the console as an app. */
const namedFiles = [
  'icon.svg',
  'icon-192.png',
  'icon-512.png',
  'icon-maskable-512.png',
  'apple-touch-icon.png',
  'manifest.webmanifest',
];

/** The pages that the console has, as in web/src/app/places.ts. At any other path it says that there is nothing, with 404. */
const consolePage =
  /^\/(notes|ask|transcribe|history|account|dictionary|snippets|language|keys|usage|workspaces|operator\/(status|people|setup|audit)|unsaved|invitations|oauth\/authorize|sign-in|share)?(\/|\?|$)/;

/** Paths that are never a page of the console. They answer with JSON, whatever the client accepts. */
const notPages = /^\/(api|v1|mcp|docs|assets|healthz|readyz|metrics)(\/|\?|$)/;

export const notBuilt =
  '<!doctype html><html lang="en"><title>Steno</title><p>The console is not built. Run <code>npm ci</code>, or start the server with <code>npm start</code>.';

const open = { config: { access: anyone } };

/** Serves the files that `npm run build --workspace web` made. Every path of the console gets the same page. */
export const consoleRoutes: FastifyPluginAsync = async (app) => {
  await app.register(fastifyStatic, {
    root: builtDir,
    // The build also writes each file as .br and .gz.
    preCompressed: true,
    // Only the routes below serve files; nothing else in the folder can be reached.
    serve: false,
    cacheControl: false,
  });

  app.get('/', open, sendPage);
  for (const file of namedFiles)
    app.get(`/${file}`, open, (_request, reply) =>
      reply.header('cache-control', 'public, max-age=86400').sendFile(file),
    );
  // At the top, because a service worker sees only what lies below its own address.
  app.get('/sw.js', open, (_request, reply) => reply.headers(serviceWorkerHeaders).sendFile('sw.js'));
  // File names contain a hash of the content.
  app.get<{ Params: { file: string } }>('/assets/:file', open, (request, reply) => {
    const { file } = request.params;
    if (!builtName.test(file)) throw nothingHere();
    return reply.header('cache-control', 'public, max-age=31536000, immutable').sendFile(`assets/${file}`);
  });
};

/** A browser that opens a path of the console, such as a link to a note, gets the page. */
export const answerConsoleLinks: onRequestHookHandler = (request, reply, done) => {
  if (request.is404 && wantsPage(request)) void sendPage(request, reply);
  else done();
};

const wantsPage = ({ method, url, headers }: FastifyRequest) =>
  (method === 'GET' || method === 'HEAD') &&
  (headers.accept?.includes('text/html') ?? false) &&
  !notPages.test(url);

async function sendPage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  reply.type('text/html; charset=utf-8').headers(pageHeaders);
  const page = await readFile(join(builtDir, 'index.html'), 'utf8').catch(() => undefined);
  if (page === undefined) return reply.code(503).send(notBuilt);
  if (!consolePage.test(request.url)) return reply.code(404).send(page);
  // Without them the page asks itself, and what is wrong shows there.
  const filled = await withFirstAnswers(page, request).catch(() => page);
  // The page holds the notes of a person now.
  if (filled !== page) reply.header('cache-control', 'private, no-store');
  return reply.send(filled);
}
