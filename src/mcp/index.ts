import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AppDependencies } from '../http/app.ts';
import { maxMessageBytes } from './audio-form.ts';
import { createToolTable } from './tools.ts';

/** Mounts `POST /mcp`: the routes that name a tool, for assistants. To be called before those routes are registered. */
export async function mountMcp(app: FastifyInstance, { log, plans }: AppDependencies): Promise<void> {
  const tools = createToolTable(plans);
  tools.watch(app);
  await app.register(async (scope) => {
    // Unparsed, because broken JSON is answered in the protocol's own form.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (_: FastifyRequest, body: Buffer) => body);
    scope.route({
      method: 'POST',
      url: '/mcp',
      bodyLimit: maxMessageBytes,
      // The tool's route charges for the call; to charge here as well would count it twice.
      config: { access: { credential: 'any key' }, cost: 0 },
      schema: { hide: true },
      handler: async (request) => {
        // Loaded by the first request: a server without assistants never pays the time and the memory.
        const { answerProtocol } = await import('./server.ts');
        return answerProtocol({ app, tools, log }, request);
      },
    });
  });
}
