/** Filled in by the build; see web/service-worker-file.ts. */
declare const build: { id: string; page: string; script: string; files: string[] };
declare const self: ServiceWorkerGlobalScope;

const caching = 'steno-shell-';
const shellName = caching + build.id;
/** As in web/src/lib/shared-files.ts, which reads it. */
const sharedName = 'steno-shared';
/** Sign-in, the API and its reference always go to the server. */
const notOurs = /^\/(api|v1|mcp|docs|sign-in|healthz|readyz|metrics)(\/|$)/;
/** With these, a proxy says that the server is away. */
const awayStatus = 502;

self.addEventListener('install', (event) => event.waitUntil(keepShell()));
self.addEventListener('activate', (event) => event.waitUntil(takeOver()));
self.addEventListener('fetch', (event) => {
  const { method, mode, url } = event.request;
  const { origin, pathname } = new URL(url);
  if (origin !== self.location.origin || notOurs.test(pathname)) return;
  if (method === 'POST' && pathname === '/share') event.respondWith(keepShared(event.request));
  if (method !== 'GET') return;
  if (mode === 'navigate') event.respondWith(pageOrShell(event));
  else if (pathname.startsWith('/assets/') || build.files.includes(pathname))
    event.respondWith(keptOrFetched(event.request));
});

/** The page is asked for without the cookie, so it holds nobody's notes. */
async function keepShell(): Promise<void> {
  const shell = await caches.open(shellName);
  const page = await fetch(build.page, { credentials: 'omit', cache: 'no-cache' });
  const names = await page.clone().text();
  // If a newer version of the server has started since, that version installs its own worker.
  if (!page.ok || !names.includes(build.script)) throw new Error('The page is of another build.');
  await shell.put(build.page, page);
  await shell.addAll(build.files);
  await self.skipWaiting();
}

/** A tab that was opened before still asks for the files of the build before this one. */
async function takeOver(): Promise<void> {
  const old = (await caches.keys()).filter((name) => name.startsWith(caching) && name !== shellName);
  await Promise.all(old.slice(0, -1).map((name) => caches.delete(name)));
  await self.registration.navigationPreload?.enable();
  await self.clients.claim();
}

/** The server's page, which is never out of date; the kept one only while there is no server. */
async function pageOrShell(event: FetchEvent): Promise<Response> {
  const shell = () => caches.match(build.page, { cacheName: shellName });
  try {
    const page: Response = (await event.preloadResponse) ?? (await fetch(event.request));
    return page.status < awayStatus ? page : ((await shell()) ?? page);
  } catch {
    return (await shell()) ?? Response.error();
  }
}

/** The name of a file changes with its content, so what is kept is right. */
const keptOrFetched = async (request: Request): Promise<Response> =>
  (await caches.match(request, { ignoreVary: true })) ?? fetch(request);

/** Recordings that another app shares. The console asks the person before it sends them anywhere. */
async function keepShared(request: Request): Promise<Response> {
  const shared = await caches.open(sharedName);
  const files = (await request.formData()).getAll('audio').filter((file) => file instanceof File);
  for (const file of files) {
    const headers = { 'content-type': file.type, 'x-name': encodeURIComponent(file.name) };
    await shared.put(`/share/${crypto.randomUUID()}`, new Response(file, { headers }));
  }
  return Response.redirect('/transcribe?shared', 303);
}
