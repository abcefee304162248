import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AppDependencies } from '../http/app.ts';
import { maxMessageBytes } from './audio-form.ts';
import { createToolTable } from './tools.ts';

/** Mounts `POST /mcp`, which offers the routes that name a tool to assistants. Call it before they are registered. */
export async function mountMcp(app: FastifyInstance, { log, plans }: AppDependencies): Promise<void> {
  const tools = createToolTable(plans);
  tools.watch(app);
  await app.register(async (scope) => {
    // Left unparsed: the protocol has its own answer to broken JSON.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (_: FastifyRequest, body: Buffer) => body);
    scope.route({
      method: 'POST',
      url: '/mcp',
      bodyLimit: maxMessageBytes,
      // The tool's route counts the call; counted here too, it would cost twice.
      config: { access: { credential: 'any key' }, cost: 0 },
      schema: { hide: true },
      handler: async (request) => {
        // Loaded by the first request: a server without assistants needs neither the time nor the memory.
        const { answerProtocol } = await import('./server.ts');
        return answerProtocol({ app, tools, log }, request);
      },
    });
  });
}
