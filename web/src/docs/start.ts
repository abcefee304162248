import '@fontsource-variable/inter/wght.css';
import '@fontsource/source-serif-4/600.css';
import '../styles/tokens.css';
import './docs.css';
import { scalarUrl } from 'virtual:scalar';
import guide from '../../../docs/api.md?raw';
import { isDark, showTheme } from '../lib/theme.ts';

interface Scalar {
  createApiReference(selector: string, settings: Record<string, unknown>): void;
}

showTheme();

/** Other pages of the guide are not on this server, so their names stay without a link. */
const withoutFiles = guide.replace(/\[([^\]]+)\]\([^)]*\.(?:md|json)[^)]*\)/g, '$1');

/** The document with the guide in front of it. */
async function described() {
  const document = await (await fetch('/api/v1/openapi.json')).json();
  return { ...document, info: { ...document.info, description: withoutFiles } };
}

/** A person who is signed in to the console needs no key here: the browser sends the cookie. */
async function isSignedIn() {
  const answer = await fetch('/api/auth/get-session').catch(() => undefined);
  return answer?.ok === true && (await answer.json()) !== null;
}

/** Without a key Scalar sends an empty one, which would count instead of the cookie. */
function send(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  const request = new Request(input, init);
  if (request.headers.get('authorization')?.trim() === 'Bearer') request.headers.delete('authorization');
  return fetch(request);
}

/** A function, because an `await` of the page itself would split the console's files: 6 kB more at its first load. */
async function start(): Promise<void> {
  const [content, signedIn] = await Promise.all([described(), isSignedIn()]);
  const hint = document.querySelector('#signed-in');
  if (signedIn) hint?.removeAttribute('hidden');

  /** Scalar's own script; it makes `window.Scalar`. */
  const script = document.createElement('script');
  script.src = scalarUrl;
  script.onload = () => {
    const scalar: Scalar = Reflect.get(window, 'Scalar');
    scalar.createApiReference('#docs', {
      content,
      customFetch: send,
      // The theme of the console.
      forceDarkModeState: isDark() ? 'dark' : 'light',
      hideDarkModeToggle: true,
      theme: 'none',
      withDefaultFonts: false,
      defaultOpenAllTags: false,
      hideModels: true,
      // Nothing goes to another host: no analytics, no chat, no hosted client.
      telemetry: false,
      agent: { disabled: true },
      mcp: { disabled: true },
      hideClientButton: true,
      showDeveloperTools: 'never',
      persistAuth: false,
      authentication: { preferredSecurityScheme: signedIn ? 'session' : 'personalKey' },
    });
  };
  document.head.append(script);
}
void start();
