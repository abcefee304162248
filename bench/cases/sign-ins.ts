import { createAuthenticator } from '../../test/support/authenticator.ts';
import { oidcClient, startOidcProvider } from '../../test/support/openid.ts';
import { fetchOk } from '../lib/load.ts';
import type { Measure } from '../lib/measure.ts';
import { createDataDir, startServer } from '../lib/server.ts';
import { watchAnswers } from '../lib/slowest-answers.ts';

const goalMs = 250;

/** Many people sign in at the same moment, the first of them on a server where nobody did before; another reads a note. */
export const signIns: Measure = {
  name: 'slowest GET /notes/{id}, in ms, while 200 people sign in with a provider and then 200 with a passkey',
  goal: `<= ${goalMs}`,
  async run({ scale }) {
    const people = Math.ceil(200 * scale);
    const redirectUris: string[] = [];
    const provider = await startOidcProvider(redirectUris);
    const data = await createDataDir();
    const settings = {
      STENO_OIDC_ISSUER: provider.issuer,
      STENO_OIDC_CLIENT_ID: oidcClient.clientId,
      STENO_OIDC_CLIENT_SECRET: oidcClient.clientSecret,
      STENO_SIGNUP: 'open',
    };
    const steno = await startServer(data, { settings, watchTurns: true });
    // Passkeys belong to a name, and the server takes its own from the request.
    const origin = steno.url.replace('127.0.0.1', 'localhost');
    redirectUris.push(`${origin}/api/auth/callback/oidc`);
    provider.rotateKeys();
    provider.become({ sub: 'ada', email: 'ada@example.org', email_verified: true });
    const created = await fetchOk(`${steno.url}/api/v1/notes/create`, {
      method: 'POST',
      headers: steno.headers,
      body: JSON.stringify({ content: 'mine' }),
    });
    const url = `${steno.url}/api/v1/notes/${JSON.parse(created).data.id}`;
    const answers = watchAnswers([{ url, headers: steno.headers }]);

    const post = (path: string, body: object, headers: Record<string, string> = {}) =>
      fetch(`${origin}/api/auth${path}`, {
        method: 'POST',
        headers: { origin, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
    const many = <Value>(each: (index: number) => Promise<Value>) =>
      Promise.all(Array.from({ length: people }, (_, index) => each(index)));
    async function measured(send: () => Promise<Response[]>) {
      await Promise.all([answers.slowest(), steno.longestTurns()]);
      const startedAt = performance.now();
      const wrong = (await send()).filter(({ status }) => status >= 400);
      if (wrong.length > 0) throw new Error(`${wrong.length} sign-ins failed: ${await wrong[0]?.text()}`);
      const seconds = (performance.now() - startedAt) / 1000;
      const [noteMs = 0] = await answers.slowest();
      return { noteMs, seconds, ownTurnMs: (await steno.longestTurns()).ownTurnMs };
    }

    const begun = await many(async () => {
      const answer = await post('/sign-in/social', { provider: 'oidc' });
      const { url } = (await answer.json()) as { url: string };
      return { url, cookie: answer.headers.getSetCookie()[0]?.split(';')[0] ?? '' };
    });
    const returned: string[] = [];
    for (const { url } of begun) returned.push(String(await provider.visit(url)));
    let session = '';
    const byProvider = await measured(() =>
      many(async (index) => {
        const headers = { cookie: begun[index]?.cookie ?? '' };
        const answer = await fetch(returned[index] ?? '', { headers, redirect: 'manual' });
        session = answer.headers.getSetCookie().find((one) => one.includes('session_token')) ?? session;
        return answer;
      }),
    );

    const cookie = session.split(';')[0] ?? '';
    const device = createAuthenticator();
    const party = { rpId: 'localhost', origin, counter: 0 };
    const challengeOf = async (kind: string) => {
      const options = await fetchOk(`${origin}/api/auth/passkey/generate-${kind}-options`, {
        headers: { cookie },
      });
      return String(JSON.parse(options).challenge);
    };
    const response = device.create({ ...party, challenge: await challengeOf('register') });
    // Loads the library.
    const first = await measured(async () => [
      await post('/passkey/verify-registration', { response }, { cookie }),
    ]);
    const assertions = await many(async () =>
      device.get({ ...party, challenge: await challengeOf('authenticate') }),
    );
    const byPasskey = await measured(() =>
      many((index) => post('/passkey/verify-authentication', { response: assertions[index] })),
    );
    await answers.end();
    await steno.stop();
    await provider.close();
    data.remove();
    const noteMs = Math.max(byProvider.noteMs, first.noteMs, byPasskey.noteMs);
    const said = ({ noteMs, seconds, ownTurnMs }: typeof first) =>
      `${noteMs.toFixed(0)} ms in ${seconds.toFixed(1)} s, longest turn ${ownTurnMs.toFixed(0)} ms`;
    return {
      value: Math.round(noteMs),
      met: noteMs <= goalMs,
      detail: `${people} by provider: ${said(byProvider)}; first passkey: ${said(first)}; ${people} by passkey: ${said(byPasskey)}`,
    };
  },
};
