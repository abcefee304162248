import { hash } from 'node:crypto';

/** No inline script (data is not one) or style, no frame, nothing from another host. Recordings are played from memory (blob:). */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "font-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** The headers of every page. */
export const pageHeaders = {
  'content-security-policy': contentSecurityPolicy,
  'x-content-type-options': 'nosniff',
  // Not `no-referrer`, because the form of such a page has `Origin: null`, which we refuse.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'microphone=(self), camera=(), geolocation=()',
  // The page names the hashed files of its build. An old copy would ask for files that are gone.
  'cache-control': 'no-cache',
};

/** The service worker asks this server for files, and does nothing else. */
export const serviceWorkerHeaders = {
  'content-security-policy': "default-src 'none'; connect-src 'self'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-cache',
};

/** Scalar makes style elements as it runs. */
export const docsPageHeaders = {
  ...pageHeaders,
  'content-security-policy': contentSecurityPolicy.replace(
    "style-src 'self'",
    "style-src 'self' 'unsafe-inline'",
  ),
};

/** The colours of the console (web/src/styles/tokens.css), whose files this page does not need. */
const style = `:root{color-scheme:light dark;font:16px/1.5 "Inter Variable",system-ui,-apple-system,"Segoe UI",sans-serif;
background:light-dark(#fbfaf7,#151412);color:light-dark(#1d1b18,#ece8e0)}
body{display:grid;place-items:center;min-height:100dvh;margin:0;padding:1.5rem;box-sizing:border-box}
main{display:grid;gap:1rem;box-sizing:border-box;width:min(28rem,100%);padding:2rem;border:1px solid light-dark(#e4e0d8,#35312b);
border-radius:14px;background:light-dark(#fff,#1c1b18);box-shadow:0 14px 36px light-dark(rgb(40 34 20/12%),rgb(0 0 0/50%))}
.brand{display:flex;align-items:center;gap:.75rem;margin:0 0 .5rem;font:600 1.3125rem/1 ui-serif,"New York",Charter,Georgia,serif}
h1{margin:0;font:600 1.875rem/1.2 ui-serif,"New York",Charter,Georgia,serif;text-wrap:balance;overflow-wrap:anywhere}
p{margin:0;color:light-dark(#4d4942,#c9c3b8)}
button{width:100%;min-height:2.75rem;margin-top:.5rem;border:0;border-radius:9px;background:light-dark(#2f48b0,#a3b3ff);
color:light-dark(#fff,#12163a);font:inherit;font-weight:500;cursor:pointer}
button:hover{background:light-dark(#243a94,#bdc9ff)}
button:focus-visible{outline:2px solid light-dark(#2f48b0,#a3b3ff);outline-offset:2px}`;

export const signInPageHeaders = {
  ...pageHeaders,
  'content-security-policy': contentSecurityPolicy.replace(
    "style-src 'self'",
    `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
  ),
  'cache-control': 'no-store',
};

/** The form is sent to the address of the page, which contains the token of the link. */
export const signInPage = (name: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sign in · Steno</title>
<style>${style}</style>
<main>
<p class="brand"><img src="/icon.svg" width="32" height="32" alt="">Steno</p>
<h1>Welcome, ${escapeHtml(name)}</h1>
<p>You are about to sign in to Steno in this browser. The link works once.</p>
<form method="post"><button autofocus>Sign in</button></form>
</main>
</html>
`;

const escapeHtml = (text: string) =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
