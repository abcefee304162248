declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  interface Grant {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }

  /** What a middleware sees of a request. */
  export interface Context {
    path: string;
    method: string;
    status: number;
    body: unknown;
    oidc: {
      client: { clientId: string };
      session: { accountId: string };
      provider: { Grant: new (of: { clientId: string; accountId: string }) => Grant };
    };
  }

  // It has nothing but a default export that we use.
  // biome-ignore lint/style/noDefaultExport: see above
  export default class Provider {
    constructor(issuer: string, configuration: object);
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    use(middleware: (context: Context, next: () => Promise<void>) => Promise<void>): void;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: { login: { accountId: string } },
    ): Promise<void>;
    on(event: string, listener: (...all: unknown[]) => void): void;
  }
}
