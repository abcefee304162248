import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { z } from 'zod';
import type { AppDependencies } from '../app.ts';
import { jsonIn } from '../lib/json.ts';
import { createCharge } from '../platform/http/access.ts';
import { refuseDeepJson } from '../platform/http/body.ts';
import { clientSignal, principalOf } from '../platform/http/request.ts';
import { maxMessageBytes } from './audio-form.ts';
import { type ToolTable, toolTable } from './tools.ts';

/** Mounts `POST /mcp`, which offers assistants the routes that name a tool. */
export async function mountMcp(
  app: FastifyInstance,
  dependencies: AppDependencies,
  routes: readonly RouteOptions[],
): Promise<void> {
  const { log, plans } = dependencies;
  const charge = createCharge(dependencies);
  const tools = toolTable(routes, plans);
  await app.register(async (scope) => {
    // Left unparsed: the protocol has its own answer to broken JSON.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (_: FastifyRequest, body: Buffer) => {
      refuseDeepJson(body);
      return body;
    });
    scope.route({
      method: 'POST',
      url: '/mcp',
      bodyLimit: maxMessageBytes,
      // The route of the tool counts a tool call. Other messages are counted below.
      config: { access: { credential: 'any key' }, cost: 0 },
      schema: { hide: true },
      preHandler: async (request, reply) => {
        const others = messagesOf(request.body).filter((message) => !callsTool(message, tools)).length;
        if (others > 0) await charge(principalOf(request), others, reply);
      },
      handler: async (request, reply) => {
        // Loaded by the first request: a server without assistants needs neither the time nor the memory.
        const { answerProtocol } = await import('./server.ts');
        return answerProtocol({ app, tools, log }, request, clientSignal(reply));
      },
    });
  });
}

/** Invalid JSON and an empty batch count as one message. */
function messagesOf(body: unknown): unknown[] {
  const parsed = jsonIn(String(body));
  return Array.isArray(parsed) && parsed.length > 0 ? parsed : [parsed];
}

const toolCall = z.object({ method: z.literal('tools/call'), params: z.object({ name: z.string() }) });

function callsTool(message: unknown, tools: ToolTable): boolean {
  const { data } = toolCall.safeParse(message);
  return data !== undefined && tools.find(data.params.name) !== undefined;
}
