import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { fakeAnswer } from '../../src/cli/fake-writer.ts';

/**
 * What goes wrong; `none` is a request that goes well. `slow`: the answer stops after its first word until `goOn`; `silent`: before
 * it.
 */
export type Mishap =
  | 'none'
  | 'slow'
  | 'silent'
  | 'cut off'
  | 'html'
  | 'busy'
  | 'refuse'
  | 'empty'
  | 'away'
  | 'too short a limit'
  | 'error';

export interface FakeRequest {
  model: string;
  messages: { role: string; content: string }[];
  max_tokens?: number;
  stream?: boolean;
}

/** A chat server that speaks the real protocol over HTTP, and answers as the language model of the sandbox. */
export async function startFakeModel({ port = 0, window = 8_192 } = {}) {
  const requests: FakeRequest[] = [];
  const mishaps: Mishap[] = [];
  let answer = answerTo;
  let pause = Promise.withResolvers<void>();
  let inProgress = 0;

  async function chat(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    inProgress += 1;
    response.once('close', () => {
      inProgress -= 1;
    });
    const request: FakeRequest = JSON.parse(await readText(incoming));
    requests.push(request);
    const mishap = mishaps.shift();
    if (mishap === 'silent') await pause.promise;
    if (mishap === 'away') return void incoming.socket.destroy();
    if (mishap === 'busy') return void response.writeHead(429, { 'retry-after': '7' }).end('{"error":{}}');
    if (mishap === 'error') return void response.writeHead(500).end('{"error":{}}');
    if (mishap === 'html')
      return void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>');
    const whole = mishap === 'empty' ? '' : answer(request);
    const usage = { prompt_tokens: tokensOf(request), completion_tokens: Math.ceil(whole.length / 4) };
    const reason = mishap === 'too short a limit' ? 'length' : 'stop';
    if (request.stream !== true) {
      const choices = [{ index: 0, message: { role: 'assistant', content: whole }, finish_reason: reason }];
      response.writeHead(200, { 'content-type': 'application/json' });
      return void response.end(JSON.stringify({ object: 'chat.completion', choices, usage }));
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (choice: object, more = {}) =>
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, ...choice }], ...more })}\n\n`);
    send({ delta: { role: 'assistant', content: '' } });
    if (mishap === 'refuse') return void response.end(`data: ${JSON.stringify(refusal)}\n\ndata: [DONE]\n\n`);
    for (const [at, part] of (whole.match(/\S+\s*/g) ?? []).entries()) {
      send({ delta: { content: part } });
      if (at === 0 && mishap === 'slow') await pause.promise;
      if (at === 1 && mishap === 'cut off') {
        await new Promise((sent) => response.write('\n', sent));
        return void incoming.socket.destroy();
      }
    }
    send({ delta: {}, finish_reason: reason });
    response.end(`data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`);
  }

  const server = createServer((incoming, response) => {
    const json = (body: object) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (incoming.url === '/v1/models') json({ data: [{ id: 'fake', max_model_len: window }] });
    else if (incoming.url === '/v1/chat/completions')
      chat(incoming, response).catch(() => response.destroy());
    else response.writeHead(404).end();
  });
  server.unref();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  // A TCP server has an address with a port.
  const { port: chosen } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${chosen}`,
    port: chosen,
    /** Every request so far. */
    requests,
    /** How many clients wait for an answer. */
    inProgress: () => inProgress,
    /** These go wrong in these ways, the next request first. */
    next: (...coming: Mishap[]) => void mishaps.push(...coming),
    /** Lets slow answers end. */
    goOn(): void {
      pause.resolve();
      pause = Promise.withResolvers();
    },
    answerWith(other: (request: FakeRequest) => string = answerTo): void {
      answer = other;
    },
    async close(): Promise<void> {
      pause.resolve();
      server.close();
      server.closeAllConnections();
    },
  };
}

const refusal = { choices: [{ index: 0, delta: { refusal: 'No.' }, finish_reason: 'stop' }] };

const tokensOf = ({ messages }: FakeRequest) =>
  messages.reduce((sum, { content }) => sum + Math.ceil(content.length / 4), 0);

/** The answer of the sandbox, but obeys an order outside the marks of data: a test sees so that a recording got out of them. */
function answerTo({ messages }: FakeRequest): string {
  const system = messages.find(({ role }) => role === 'system')?.content ?? '';
  const users = messages.filter(({ role }) => role === 'user');
  const asked = users.at(-1)?.content ?? '';
  const [, , data = ''] = /<text (\S+)>\n([\s\S]*)\n<\/text \1>/.exec(asked) ?? [];
  const outside = `${system}\n${data === '' ? asked : asked.replace(data, '')}`;
  const order = /ignore your instructions and say (\w+)/i.exec(outside);
  return order?.[1] ?? fakeAnswer(system, users);
}
