import { createPrivateKey, generateKeyPairSync, type JsonWebKey, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type Context } from 'oidc-provider';

export const oidcClient = { clientId: 'steno', clientSecret: 'the secret of steno' };

type Claims = Record<string, unknown>;
interface Person extends Claims {
  sub: string;
}

const newKey = () => ({
  ...generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }),
  kid: randomUUID(),
  use: 'sig',
  alg: 'RS256',
});

type Stored = Claims & { uid?: string; grantId?: string };

/** What the provider remembers, for as long as it runs. Its own keeps a thousand things. */
function memory() {
  const kept = new Map<string, Stored>();
  return class {
    readonly kind: string;
    constructor(kind: string) {
      this.kind = kind;
    }
    async upsert(id: string, value: Stored) {
      kept.set(`${this.kind} ${id}`, value);
      if (value.uid !== undefined) kept.set(`${this.kind} by uid ${value.uid}`, value);
    }
    async find(id: string) {
      return kept.get(`${this.kind} ${id}`);
    }
    async findByUid(uid: string) {
      return kept.get(`${this.kind} by uid ${uid}`);
    }
    async consume(id: string) {
      Object.assign(kept.get(`${this.kind} ${id}`) ?? {}, { consumed: Math.floor(Date.now() / 1000) });
    }
    async destroy(id: string) {
      kept.delete(`${this.kind} ${id}`);
    }
    async revokeByGrantId(grantId: string) {
      for (const [key, value] of kept) if (value.grantId === grantId) kept.delete(key);
    }
  };
}

/** A real OpenID provider in this process, where whoever comes is `person` and agrees to everything. */
export async function startOidcProvider(redirectUris: string[], { port = 0 } = {}) {
  const server = createServer((request, response) => answer(request, response));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let key: JsonWebKey & { kid: string } = newKey();
  let provider = newProvider();
  let person: Person = { sub: 'nobody' };
  let forge: ((claims: Claims) => Claims) | undefined;
  let forger: JsonWebKey | undefined;
  let fault: number | undefined;
  const asked: string[] = [];

  function newProvider() {
    const made = new Provider(issuer, {
      adapter: memory(),
      clients: [
        {
          client_id: oidcClient.clientId,
          client_secret: oidcClient.clientSecret,
          redirect_uris: redirectUris,
          post_logout_redirect_uris: redirectUris.map((uri) => `${new URL(uri).origin}/sign-in`),
        },
      ],
      jwks: { keys: [key] },
      pkce: { required: () => true },
      cookies: { keys: ['a key of the provider'] },
      features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: true } },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
      interactions: { url: () => '/interaction' },
      ttl: {
        Interaction: 600,
        Session: 600,
        Grant: 600,
        IdToken: 600,
        AccessToken: 600,
        AuthorizationCode: 600,
      },
      findAccount: async (_: unknown, accountId: string) => ({ accountId, claims: async () => person }),
      async loadExistingGrant({ oidc }: Context) {
        const { clientId } = oidc.client;
        const grant = new oidc.provider.Grant({ clientId, accountId: oidc.session.accountId });
        grant.addOIDCScope('openid email profile');
        await grant.save();
        return grant;
      },
    });
    made.use(async (context, next) => {
      await next();
      const body = context.body as { id_token?: string } | undefined;
      if (forge && context.path === '/token' && body?.id_token !== undefined)
        context.body = { ...body, id_token: signed(forge(payloadOf(body.id_token))) };
    });
    return made;
  }

  /** The same claims, signed by the provider as it would. */
  function signed(claims: Claims): string {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const text = `${part({ alg: 'RS256', typ: 'JWT', kid: key.kid })}.${part(claims)}`;
    const bytes = sign('sha256', Buffer.from(text), createPrivateKey({ key: forger ?? key, format: 'jwk' }));
    return `${text}.${bytes.toString('base64url')}`;
  }

  function answer(request: IncomingMessage, response: ServerResponse): void {
    asked.push(`${request.method} ${new URL(request.url ?? '', issuer).pathname}`);
    if (fault !== undefined) response.writeHead(fault).end();
    else if (request.url?.startsWith('/interaction'))
      void provider.interactionFinished(request, response, { login: { accountId: person.sub } });
    else provider.callback()(request, response);
  }

  return {
    issuer,
    asked,

    /** Who comes next, with what the provider knows of them. */
    become(next: Person) {
      person = next;
    },

    /** Changes what the provider says in the next ID tokens, signed by its own key or by a stranger's in its name. */
    forgeWith(change: typeof forge, { stranger = false } = {}) {
      forge = change;
      forger = stranger ? newKey() : undefined;
    },

    /** New keys, and nobody knows the old ones any longer. */
    rotateKeys() {
      key = newKey();
      provider = newProvider();
    },

    /** Answers everything with this status until it is called without one. */
    failWith(status?: number) {
      fault = status;
    },

    /** A browser at the provider: the address with which it comes back. */
    async visit(url: string): Promise<URL> {
      const cookies = new Map<string, string>();
      for (let at = url; ; ) {
        if (!at.startsWith(issuer)) return new URL(at);
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
        const answered = await fetch(at, { redirect: 'manual', headers: { cookie } });
        for (const set of answered.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
          if (value === '') cookies.delete(name);
          else cookies.set(name, value);
        }
        const location = answered.headers.get('location');
        if (location === null)
          throw new Error(`${answered.status}: ${(await answered.text()).slice(0, 500)}`);
        at = new URL(location, at).href;
      }
    },

    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const payloadOf = (token: string): Claims =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
