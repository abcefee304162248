import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type Answer, startSteno, type TestOptions } from './steno.ts';

/** `legacy` opens with the `initialize` handshake of 2025, `auto` with the stateless revision of 2026. */
export type Revision = 'legacy' | 'auto';

export interface ToolAnswer {
  isError: boolean;
  // Tests look into results of every shape; a wrong guess fails the test.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  body: any;
  text: string;
}

/** The whole program listening on a port, with the protocol's own client to talk to it. */
export async function startWithAssistants(options: TestOptions = {}) {
  const steno = await startSteno(options);
  const url = new URL('/mcp', await steno.app.listen({ host: '127.0.0.1', port: 0 }));
  const clients: Client[] = [];

  async function connect(key: string, mode: Revision = 'legacy') {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    const headers = { authorization: `Bearer ${key}` };
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    clients.push(client);
    return {
      client,
      toolNames: async () => (await client.listTools()).tools.map(({ name }) => name).sort(),
      async use(name: string, args: Record<string, unknown> = {}): Promise<ToolAnswer> {
        const {
          isError = false,
          structuredContent,
          content,
        } = await client.callTool({ name, arguments: args });
        const [part] = content;
        return { isError, body: structuredContent, text: part?.type === 'text' ? part.text : '' };
      },
    };
  }

  return {
    ...steno,
    url,
    connect,
    /** What a program without the library sends. */
    async post(
      body: string | Uint8Array<ArrayBuffer>,
      headers: Record<string, string> = {},
    ): Promise<Answer> {
      const response = await fetch(url, {
        method: 'POST',
        body,
        headers: {
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          ...headers,
        },
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        text,
        body: isJson ? JSON.parse(text) : undefined,
      };
    },
    async close() {
      for (const client of clients) await client.close();
      await steno.close();
    },
  };
}

export type StenoWithAssistants = Awaited<ReturnType<typeof startWithAssistants>>;
