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

const style = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{display:grid;place-content:center;justify-items:center;min-height:90vh;margin:1rem;text-align:center}
h1{margin:.5rem 0;font-size:1.5rem}
p{margin:0 0 1.5rem;opacity:.75}
button{padding:.6rem 2rem;border:0;border-radius:.6rem;background:#2f46b0;color:#fff;font:inherit;cursor:pointer}`;

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
<img src="/icon.svg" width="48" height="48" alt="">
<h1>Sign in to Steno</h1>
<p>You are about to sign in as ${escapeHtml(name)}.</p>
<form method="post"><button autofocus>Sign in</button></form>
</html>
`;

const escapeHtml = (text: string) =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
