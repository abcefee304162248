import { isUtf8 } from 'node:buffer';
import { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import { version } from '../lib/version.ts';
import { principalOf } from '../platform/http/request.ts';
import { maxMessageBytes } from './audio-form.ts';
import { callTool, type McpContext } from './call.ts';
import { describeTool } from './tools.ts';

const instructions =
  'Notes, folders, transcripts, dictionary words and snippets of the person or team that the key belongs to. ' +
  'Lists come in pages: pass next_cursor as cursor while has_more is true. ' +
  'A workspace key needs space_id on lists, creates and searches; list_spaces names the spaces.';

/** One protocol server per request: nothing is kept, so any replica can answer any request. */
export function answerProtocol(
  context: McpContext,
  request: FastifyRequest,
  client: AbortSignal,
): Promise<Response> {
  const { fetch } = createMcpHandler(() => createServer(context, request, client), {
    maxRequestBodySize: maxMessageBytes,
    // The list of tools does not change while the server runs, so there is nothing to subscribe to.
    maxSubscriptions: 0,
  });
  return fetch(toWebRequest(request));
}

function createServer(context: McpContext, request: FastifyRequest, client: AbortSignal): Server {
  const { tools } = context;
  const server = new Server(
    { name: 'steno', title: 'Steno', version },
    { capabilities: { tools: {} }, instructions },
  );
  server.setRequestHandler('tools/list', async () => ({
    tools: tools.allowedTo(principalOf(request)).map(describeTool),
  }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    const tool = tools.find(params.name);
    if (!tool)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `There is no tool ${params.name}. List the tools to see which this key may use.`,
      );
    return callTool(context, tool, params.arguments ?? {}, request, client);
  });
  return server;
}

function toWebRequest({ headers, body }: FastifyRequest): Request {
  const protocolHeaders = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' && /^(accept|content-type|mcp-.*)$/.test(name) ? [[name, value]] : [],
  );
  // Node would turn what is not UTF-8 into U+FFFD. An empty body gets the protocol's parse error instead.
  const text = body instanceof Buffer && isUtf8(body) ? body.toString('utf8') : '';
  return new Request('http://localhost/mcp', { method: 'POST', headers: protocolHeaders, body: text });
}
