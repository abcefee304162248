import type { FastifyInstance, FastifyRequest, LightMyRequestResponse } from 'fastify';
import { AppError } from '../domain/errors.ts';
import { describeFault, type Log } from '../lib/log.ts';
import { toolHeader } from '../platform/http/access.ts';
import { envelope, internalMessage } from '../platform/http/errors.ts';
import { withInnerClient } from '../platform/http/request.ts';
import type { Arguments } from './form.ts';
import { deleted } from './output.ts';
import type { Tool, ToolTable } from './tools.ts';

export interface McpContext {
  readonly app: FastifyInstance;
  readonly tools: ToolTable;
  readonly log: Log;
}

/**
 * Runs a tool as a request to its route, with the caller's own credential and address: the route checks
 * access, limits and input, and its errors are the errors of the tool. A refusal becomes a tool error with the same code and message.
 */
export async function callTool(
  { app, log }: McpContext,
  tool: Tool,
  given: Arguments,
  caller: FastifyRequest,
  client: AbortSignal,
) {
  try {
    const { headers, ...request } = await tool.toRequest(given);
    const answer = await withInnerClient(client, (leaving) =>
      app.inject({
        method: tool.method,
        ...request,
        remoteAddress: caller.ip,
        headers: {
          ...headers,
          ...leaving,
          ...toolHeader,
          // A route that can answer with events answers at once.
          accept: 'application/json',
          authorization: caller.headers.authorization ?? '',
          'x-request-id': caller.id,
        },
      }),
    );
    return answer.statusCode < 400 ? succeeded(answer) : failed(answer);
  } catch (thrown) {
    if (thrown instanceof AppError) return asResult(envelope(thrown.code, thrown.message), true);
    log.error({ requestId: caller.id, tool: tool.name, fault: describeFault(thrown) }, 'fault');
    return asResult(envelope('internal_error', internalMessage), true);
  }
}

function succeeded(answer: LightMyRequestResponse) {
  // Only deletions answer without a body.
  if (answer.statusCode === 204) return asResult(deleted);
  if (isJson(answer)) return asResult(answer.json());
  // Subtitles and plain text are for reading, not for parsing.
  const text = answer.body;
  return { structuredContent: { text }, content: [{ type: 'text' as const, text }] };
}

function failed(answer: LightMyRequestResponse) {
  // Beside the error a conflict has the note as it is now.
  const { error, ...rest } = answer.json<ReturnType<typeof envelope>>();
  const retryAfter = answer.headers['retry-after'];
  const wait = retryAfter === undefined ? {} : { retry_after_seconds: Number(retryAfter) };
  return asResult({ ...rest, error: { ...error, ...wait } }, true);
}

const asResult = (body: Record<string, unknown>, isError = false) => ({
  structuredContent: body,
  content: [{ type: 'text' as const, text: JSON.stringify(body) }],
  ...(isError ? { isError } : {}),
});

const isJson = (answer: LightMyRequestResponse) =>
  String(answer.headers['content-type']).startsWith('application/json');
